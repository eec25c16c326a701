// Made by `npm run generate` from the API document. Do not edit.
import type { CallOptions, FilePart, KeyOptions, Pages, SignedOptions, StreamOptions } from '../calls.js';
import type * as T from './types.js';

/** A method for every operation. Arguments: the ids of the path, then query and body where the operation has them, then options. */
export type Resources = {
  agents: {
    actions: {
      /**
       * Approve an action. `POST /agents/{agentId}/actions/{actionId}/approve`
       *
       * Judges the action again, by the policy, the limits and the balances of this moment, and executes its quote. If anything refuses it now, the action is `FAILED`, the answer is still 200, and no money moves.
       */
      approve(agentId: string, actionId: string, options?: CallOptions): Promise<T.AgentAction>;
      /**
       * Reject an action. `POST /agents/{agentId}/actions/{actionId}/reject`
       *
       * Rejects an action that waits for approval. Its quote is left to expire, and the agent cannot submit it again.
       */
      reject(agentId: string, actionId: string, body?: T.AgentActionRejectRequest, options?: CallOptions): Promise<T.AgentAction>;
    };
    approvals: {
      /**
       * List actions that needed approval. `GET /agents/approvals`
       *
       * Lists every action of an agent that was put up for approval, decided or not. The status tells them apart. Actions of deleted agents stay in the list; actions that the policy let through are never in it.
       */
      list(query?: { agentId?: string; customerId?: string; startDate?: string; endDate?: string; limit?: number; cursor?: string; sortOrder?: "asc" | "desc" }, options?: CallOptions): Pages<T.AgentActionListResponse>;
    };
    /**
     * Create an agent. `POST /agents`
     *
     * Creates an agent that acts for one customer within a policy, and the device code that pairs it. The code is shown in this answer only; the agent redeems it for its access token within 24 hours.
     */
    create(body: T.AgentCreateRequest, options?: KeyOptions): Promise<T.AgentCreateResponse>;
    /**
     * Delete an agent. `DELETE /agents/{agentId}`
     *
     * Deletes the agent for good. Its access token and device codes stop working at once, and actions that wait for approval are rejected. Its transactions and actions stay.
     */
    delete(agentId: string, options?: CallOptions): Promise<void>;
    deviceCodes: {
      /**
       * Make a new device code. `POST /agents/{agentId}/device-codes`
       *
       * Makes a new device code for an agent that is not connected yet. Earlier codes of the agent can no longer be redeemed. A connected agent keeps its token: delete the agent if the token is lost.
       */
      create(agentId: string, options?: KeyOptions): Promise<T.AgentDeviceCode>;
      /**
       * Redeem a device code for an access token. `POST /agents/device-codes/{code}/redeem`
       *
       * Called by the agent, without credentials. The first call gets the access token, which is shown this once. An address that tries more than 20 unknown codes in a minute is refused until the minute is over.
       */
      redeem(code: string, options?: CallOptions): Promise<T.AgentDeviceCodeRedeemResponse>;
      /**
       * Show whether a device code was redeemed. `GET /agents/device-codes/{code}/status`
       *
       * Shows whether the agent has redeemed the code. The code is read in upper or lower case.
       */
      status(code: string, options?: CallOptions): Promise<T.AgentDeviceCodeStatusResponse>;
    };
    /**
     * Get an agent. `GET /agents/{agentId}`
     *
     * Shows an agent with its policy and what it has spent today and this month.
     */
    get(agentId: string, options?: CallOptions): Promise<T.Agent>;
    /**
     * List agents. `GET /agents`
     *
     * Lists the agents of the platform, newest first. Deleted agents are left out.
     */
    list(query?: { customerId?: string; isPaused?: boolean; isConnected?: boolean; createdAfter?: string; createdBefore?: string; updatedAfter?: string; updatedBefore?: string; limit?: number; cursor?: string }, options?: CallOptions): Pages<T.AgentListResponse>;
    me: {
      actions: {
        /**
         * Get an action. `GET /agents/me/actions/{actionId}`
         *
         * Shows an action of this agent with its quote, and its transaction once the execution has begun. It needs no permission.
         */
        get(actionId: string, options?: CallOptions): Promise<T.AgentAction>;
        /**
         * List actions. `GET /agents/me/actions`
         *
         * Lists the actions of this agent, newest first, those that the policy let through included. It needs no permission.
         */
        list(query?: { status?: T.AgentActionStatus; limit?: number; cursor?: string }, options?: CallOptions): Pages<T.AgentActionListResponse>;
      };
      externalAccounts: {
        /**
         * Add an external account of the customer. `POST /agents/me/external-accounts`
         *
         * Adds an external account of the agent's customer, with the checks of `POST /customers/external-accounts`. `customerId` may be left out.
         */
        create(body: T.ExternalAccountCreateRequest, options?: CallOptions): Promise<T.ExternalAccount>;
        /**
         * Delete an external account. `DELETE /agents/me/external-accounts/{externalAccountId}`
         *
         * Deletes an external account of the agent's customer. A trusted beneficiary cannot be deleted.
         */
        delete(externalAccountId: string, options?: CallOptions): Promise<void>;
        /**
         * Get an external account. `GET /agents/me/external-accounts/{externalAccountId}`
         *
         * Shows an external account of the agent's customer.
         */
        get(externalAccountId: string, options?: CallOptions): Promise<T.ExternalAccount>;
        /**
         * List the customer's external accounts. `GET /agents/me/external-accounts`
         *
         * Lists the external accounts of the agent's customer, newest first.
         */
        list(query?: { currency?: string; limit?: number; cursor?: string }, options?: CallOptions): Pages<T.ExternalAccountListResponse>;
      };
      /**
       * Show the calling agent. `GET /agents/me`
       *
       * Shows the agent whose access token is used, with its policy and what it has spent. It needs no permission.
       */
      get(options?: CallOptions): Promise<T.Agent>;
      internalAccounts: {
        /**
         * List the customer's internal accounts. `GET /agents/me/internal-accounts`
         *
         * Lists the internal accounts of the agent's customer with their balances. Accounts that the policy does not allow are left out.
         */
        list(query?: { currency?: string; type?: T.InternalAccountType; limit?: number; cursor?: string }, options?: CallOptions): Pages<T.InternalAccountListResponse>;
      };
      quotes: {
        /**
         * Price a payment. `POST /agents/me/quotes`
         *
         * Prices a payment from an account of the agent's customer, as `POST /quotes` does for the platform. Accounts at both ends must be the customer's; the policy must allow the source, and a destination that is an internal account. Limits are judged when the quote is executed. `immediatelyExecute` and realtime funding are refused.
         */
        create(body: T.QuoteRequest, options?: KeyOptions): Promise<T.Quote>;
        /**
         * Execute a quote. `POST /agents/me/quotes/{quoteId}/execute`
         *
         * Submits a quote of this agent, once. Within the policy it is executed at once and the action is `APPROVED`. Where the policy asks for approval the action is `PENDING_APPROVAL` and nothing moves until the platform decides. A refusal leaves no action.
         */
        execute(quoteId: string, options?: KeyOptions): Promise<T.AgentAction>;
        /**
         * Get a quote. `GET /agents/me/quotes/{quoteId}`
         *
         * Shows a quote that this agent created. It needs no permission.
         */
        get(quoteId: string, options?: CallOptions): Promise<T.Quote>;
      };
      transactions: {
        /**
         * Get a transaction. `GET /agents/me/transactions/{transactionId}`
         *
         * Shows a transaction of the agent's customer that touches an account which the policy allows.
         */
        get(transactionId: string, options?: CallOptions): Promise<T.TransactionOneOf>;
        /**
         * List the customer's transactions. `GET /agents/me/transactions`
         *
         * Lists the transactions of the agent's customer, also those that the agent did not start. With allowed accounts in the policy, only those that touch one of them.
         */
        list(query?: { accountIdentifier?: string; senderAccountIdentifier?: string; receiverAccountIdentifier?: string; status?: T.TransactionStatus; type?: "INCOMING" | "OUTGOING" | "CARD"; reference?: string; startDate?: string; endDate?: string; limit?: number; cursor?: string; sortOrder?: "asc" | "desc" }, options?: CallOptions): Pages<T.TransactionListResponse>;
      };
    };
    policy: {
      /**
       * Change an agent's policy. `PATCH /agents/{agentId}/policy`
       *
       * Merges the given fields into the policy; a given list replaces the stored one. The change governs every decision that begins after it. A new `spendingLimits.currency` converts the amounts that are not given in the same request, and what was already spent.
       */
      update(agentId: string, body: T.AgentPolicyUpdateRequest, options?: CallOptions): Promise<T.Agent>;
    };
    /**
     * Rename, pause or resume an agent. `PATCH /agents/{agentId}`
     *
     * Changes the name, or pauses and resumes the agent. A paused agent can still read. What waits for approval stays pending, and an approval while the agent is paused fails the action.
     */
    update(agentId: string, body: T.AgentUpdateRequest, options?: CallOptions): Promise<T.Agent>;
  };
  auth: {
    credentials: {
      /**
       * Send a one-time password again, or start a passkey sign-in. `POST /auth/credentials/{id}/challenge`
       *
       * Sends a one-time code with a key to encrypt it to, or makes the challenge of a passkey. In the sandbox the code is `000000`.
       */
      challenge(id: string, body?: T.AuthCredentialChallengeRequest, options?: CallOptions): Promise<T.AuthCredentialChallengeResponse>;
      /**
       * Add a credential. `POST /auth/credentials`
       *
       * Adds a way to sign in to an embedded wallet. The wallet of a customer with an e-mail address comes with a first credential; to one without any, this call adds it at once. For a further one the owner signs, and the first call answers 202.
       */
      create(body: T.AuthCredentialCreateRequestOneOf, options?: SignedOptions): Promise<T.WalletOperationProcessing | T.AuthMethodResponse>;
      /**
       * Revoke a credential. `DELETE /auth/credentials/{id}`
       *
       * Removes a way to sign in. The owner signs: the first call answers 202. The last credential cannot be removed.
       */
      delete(id: string, options?: SignedOptions): Promise<T.WalletOperationProcessing | void>;
      /**
       * List the credentials of an account. `GET /auth/credentials`
       *
       * Lists the ways to sign in to a wallet.
       */
      list(query: { accountId: string }, options?: CallOptions): Pages<T.AuthCredentialListResponse>;
      /**
       * Verify a credential and open a session. `POST /auth/credentials/{id}/verify`
       *
       * Opens a session of 15 minutes whose key is held by the end user's device. A one-time code is sent encrypted together with that key; the first call answers 202.
       */
      verify(id: string, body: T.AuthCredentialVerifyRequestOneOf, options?: SignedOptions): Promise<T.AuthCredentialVerifyResponse | void>;
    };
    delegatedKeys: {
      /**
       * Create a delegated key for a card's embedded-wallet funding source. `POST /auth/delegated-keys`
       *
       * Creates a key with which the service signs card payments from the wallet. It takes three calls: the owner's session signs the creation of the signer, then its policies. A `PENDING` card becomes `ACTIVE` with the key.
       */
      create(body: T.DelegatedKeyCreateRequest, options?: SignedOptions): Promise<T.DelegatedKey>;
      /**
       * Revoke a delegated key. `DELETE /auth/delegated-keys/{id}`
       *
       * Ends the key and destroys its private key. The key signs its own removal, so one call is enough and the owner signs nothing. The card can no longer spend from the wallet: an `ACTIVE` card becomes `PENDING`.
       */
      delete(id: string, options?: CallOptions): Promise<void>;
      /**
       * Get a delegated key. `GET /auth/delegated-keys/{id}`
       *
       * Returns a delegated key. The private key is never shown.
       */
      get(id: string, options?: CallOptions): Promise<T.DelegatedKey>;
      /**
       * List delegated keys by account or funding source. `GET /auth/delegated-keys`
       *
       * Lists keys by wallet or by funding source. One of the two filters is needed.
       */
      list(query?: { accountId?: string; fundingSourceId?: string }, options?: CallOptions): Pages<T.DelegatedKeyListResponse>;
    };
    sessions: {
      /**
       * End a session. `DELETE /auth/sessions/{id}`
       *
       * Ends a session. The owner signs: the first call answers 202.
       */
      delete(id: string, options?: SignedOptions): Promise<T.WalletOperationProcessing | void>;
      /**
       * List the active sessions of an account. `GET /auth/sessions`
       *
       * Lists the sessions that are active now.
       */
      list(query: { accountId: string }, options?: CallOptions): Pages<T.SessionListResponse>;
      /**
       * Open a new session with the current one. `POST /auth/sessions/{id}/refresh`
       *
       * Opens a new session for a new key. The current session signs: the first call answers 202.
       */
      refresh(id: string, body: T.AuthSessionRefreshRequest, options?: SignedOptions): Promise<T.WalletOperationProcessing | T.AuthSession>;
    };
  };
  beneficialOwners: {
    /**
     * Add a beneficial owner to a business. `POST /beneficial-owners`
     *
     * Adds a person who owns at least a part of the business or controls it. The verification of the business covers its owners.
     */
    create(body: T.BeneficialOwnerCreateRequest, options?: KeyOptions): Promise<T.BeneficialOwner>;
    /**
     * Delete a beneficial owner and its documents; refused while the business is under review. `DELETE /beneficial-owners/{beneficialOwnerId}`
     *
     * Deletes the owner together with its documents. It is refused while the business is under review.
     */
    delete(beneficialOwnerId: string, options?: CallOptions): Promise<void>;
    /**
     * Get a beneficial owner. `GET /beneficial-owners/{beneficialOwnerId}`
     *
     * Returns a beneficial owner. Of the identifier only the last four characters are shown.
     */
    get(beneficialOwnerId: string, options?: CallOptions): Promise<T.BeneficialOwner>;
    /**
     * List the beneficial owners of a business. `GET /beneficial-owners`
     *
     * Lists the people who own or control a business.
     */
    list(query: { customerId: string; limit?: number; cursor?: string }, options?: CallOptions): Pages<T.BeneficialOwnerListResponse>;
    /**
     * Change a beneficial owner; what is not given stays. `PATCH /beneficial-owners/{beneficialOwnerId}`
     *
     * Changes the members that are sent. A verification that was decided stays decided.
     */
    update(beneficialOwnerId: string, body: T.BeneficialOwnerUpdateRequest, options?: CallOptions): Promise<T.BeneficialOwner>;
  };
  cards: {
    /**
     * Issue a card. `POST /cards`
     *
     * Issues a card that spends from an internal account of the customer. The customer must be approved. The card is `PROCESSING` until the issuer has made it. A card on an embedded wallet is then `PENDING` until it has a delegated key.
     */
    create(body: T.CardCreateRequest, options?: KeyOptions): Promise<T.Card>;
    /**
     * Get a card. `GET /cards/{id}`
     *
     * Returns a card. Its number is never shown here; see `revealCard`.
     */
    get(id: string, options?: CallOptions): Promise<T.Card>;
    /**
     * List cards. `GET /cards`
     *
     * Lists cards, newest first.
     */
    list(query?: { customerId?: string; accountId?: string; platformCardId?: string; status?: T.CardStatus; limit?: number; cursor?: string; sortOrder?: "asc" | "desc" }, options?: CallOptions): Pages<T.CardListResponse>;
    pin: {
      /**
       * Unblock the PIN of a card. `POST /cards/{id}/pin/unblock`
       *
       * Lets the PIN be used again after too many wrong ones.
       */
      unblock(id: string, options?: CallOptions): Promise<void>;
    };
    pinEntryUrl: {
      /**
       * Make a short-lived link to the page on which the cardholder chooses a PIN. `GET /cards/{id}/pin-entry-url`
       *
       * Makes a link to a page of the issuer on which the cardholder chooses a PIN. It works only inside a page of `pinTargetOrigin`.
       */
      get(id: string, options?: CallOptions): Promise<T.CardPinUrlResponse>;
    };
    /**
     * Make a short-lived link to the page that shows the card number. `POST /cards/{id}/reveal`
     *
     * Makes a link to a page of the issuer that shows the card data. It works for five minutes. The data never passes through your servers.
     */
    reveal(id: string, body?: T.CardRevealRequest, options?: CallOptions): Promise<T.CardRevealResponse>;
    /**
     * Set the PIN of a card. `POST /cards/{id}/set-pin`
     *
     * Hands an encrypted PIN block to the issuer. The service cannot read it and does not keep it.
     */
    setPin(id: string, body: T.CardPinSetRequest, options?: CallOptions): Promise<void>;
    spending: {
      /**
       * Get what a card has spent today. `GET /cards/{id}/spending`
       *
       * What counts towards the daily limits of the card on this UTC day, and the limits that hold: the lower of those of the card and of the platform. Declined authorizations do not count; an authorization that ends without being cleared has counted.
       */
      get(id: string, options?: CallOptions): Promise<T.CardSpending>;
    };
    /**
     * Add a card to a digital wallet. `POST /cards/{id}/tokenize`
     *
     * Returns what the phone needs to add the card to Apple Pay, Google Pay or Samsung Pay.
     */
    tokenize(id: string, body: T.CardTokenizationRequestOneOf, options?: CallOptions): Promise<T.CardTokenizationResponseOneOf>;
    /**
     * Change the status, funding source, limits or 3-D Secure password of a card. `PATCH /cards/{id}`
     *
     * Changes the status, the funding source, the limits or the 3-D Secure password. A status needs `substatus` and `reason`. `null` takes a limit away. A closed card cannot be changed.
     */
    update(id: string, body: T.CardUpdateRequest, options?: CallOptions): Promise<T.Card>;
  };
  config: {
    /**
     * Get the platform configuration. `GET /config`
     *
     * Returns everything that the platform has decided. Members that were never set are absent.
     */
    get(options?: CallOptions): Promise<T.PlatformConfig>;
    /**
     * Change the platform configuration. `PATCH /config`
     *
     * Changes the members that are sent and leaves the others as they are. `supportedCurrencies` replaces the whole list. A fee of `feeConfigs` replaces the one of its kind and leaves the others; a fee of zero removes it. A new `webhookEndpoint` is used within two seconds and receives a `TEST` event; it also starts deliveries again after a 410.
     */
    update(body: T.PlatformConfigUpdateRequest, options?: CallOptions): Promise<T.PlatformConfig>;
  };
  crypto: {
    /**
     * Estimate the fee of a crypto withdrawal. `POST /crypto/estimate-withdrawal-fee`
     *
     * Estimates what a withdrawal to a chain would cost. Nothing is reserved.
     */
    estimateWithdrawalFee(body: T.EstimateCryptoWithdrawalFeeRequest, options?: CallOptions): Promise<T.EstimateCryptoWithdrawalFeeResponse>;
  };
  customers: {
    agreements: {
      /**
       * List the agreements a customer may be asked to accept, each in its current version. `GET /customers/agreements`
       *
       * Lists each agreement in its current version. Name that version in `agreementConsents` of a customer.
       */
      list(options?: CallOptions): Pages<T.AgreementDocumentListResponse>;
    };
    bulk: {
      jobs: {
        /**
         * Get the progress of an import and the rows it refused. `GET /customers/bulk/jobs/{jobId}`
         *
         * Returns the progress and, for each refused row, why.
         */
        get(jobId: string, options?: CallOptions): Promise<T.BulkCustomerImportJob>;
      };
      /**
       * Import customers from a CSV file. `POST /customers/bulk/csv`
       *
       * Takes a CSV file with one customer per row and answers at once. The import runs in the background, row by row, by the same rules as `createCustomer`, and ends with an event. Rows that are refused do not stop the others.
       */
      upload(body: {
  /** CSV (RFC 4180) in UTF-8 with a header row, at most 100 MB. Columns of all rows: umaAddress, platformCustomerId, customerType, addressLine1, city, state, postalCode, country; of individuals also fullName and birthDate, of businesses businessLegalName. Optional: addressLine2, email, businessRegistrationNumber, businessTaxId. Other columns are ignored. */
  file: FilePart;
}, options?: KeyOptions): Promise<T.BulkCustomerImportJobAccepted>;
    };
    /**
     * Confirm the customer's e-mail address with the code that was sent to it. `POST /customers/{customerId}/verify-email/confirm`
     *
     * Marks the address as proven if the code is right. A code is valid for ten minutes and five tries.
     */
    confirmEmail(customerId: string, body: T.ContactVerificationConfirmRequest, options?: CallOptions): Promise<T.CustomerOneOf>;
    /**
     * Confirm the customer's phone number with the code that was sent to it. `POST /customers/{customerId}/verify-phone/confirm`
     *
     * Marks the number as proven if the code is right. A code is valid for ten minutes and five tries.
     */
    confirmPhone(customerId: string, body: T.ContactVerificationConfirmRequest, options?: CallOptions): Promise<T.CustomerOneOf>;
    /**
     * Create a customer and its internal accounts. `POST /customers`
     *
     * Creates a person or a business and one internal account per currency, or per supported currency of the platform if `currencies` is absent. In the sandbox a person is approved at once, unless the name asks for another outcome; a business is verified with `createVerification`. A `platformCustomerId` that another customer has is refused with 409.
     */
    create(body: T.CustomerCreateRequestOneOf, options?: KeyOptions): Promise<T.CustomerOneOf>;
    /**
     * Delete a customer; accounts that money is on, or may come back to, stay open. `DELETE /customers/{customerId}`
     *
     * Closes the customer's cards and its empty accounts and returns the customer. Accounts that hold money, or to which money may come back, stay open until they are empty.
     */
    delete(customerId: string, options?: CallOptions): Promise<T.CustomerOneOf>;
    externalAccounts: {
      /**
       * Start an ownership challenge, which replaces an open one. `POST /customers/external-accounts/{externalAccountId}/challenge`
       *
       * Makes a message for the wallet to sign, or a liveness check where the wallet cannot sign. A new challenge replaces the open one.
       */
      challenge(externalAccountId: string, body: T.OwnershipChallengeRequest, options?: KeyOptions): Promise<T.OwnershipChallenge>;
      /**
       * Confirm with a factor that the beneficiary is trusted. `POST /customers/external-accounts/{externalAccountId}/trust/confirm`
       *
       * Answers the challenge. The trust begins.
       */
      confirmTrust(externalAccountId: string, body: T.BeneficiaryTrustConfirmRequest, options?: CallOptions): Promise<T.BeneficiaryTrustConfirm>;
      /**
       * Confirm with a factor that the beneficiary is no longer trusted. `POST /customers/external-accounts/{externalAccountId}/untrust/confirm`
       *
       * Answers the challenge. The trust ends.
       */
      confirmUntrust(externalAccountId: string, body: T.BeneficiaryTrustConfirmRequest, options?: CallOptions): Promise<T.BeneficiaryTrustConfirm>;
      /**
       * Add an external account of a customer, or of the platform when no customer is named. `POST /customers/external-accounts`
       *
       * Adds a bank account, mobile wallet or crypto wallet. What `accountInfo` must hold depends on `accountType`. Check digits are verified at once: live mode refuses wrong ones, and the sandbox names them in a `Warning` header. On platforms with counterparty rules, a self-custody wallet of the customer's own must be proven before it can be paid. An equal account of the same owner is refused with 409.
       */
      create(body: T.CustomerExternalAccountCreateRequest, options?: KeyOptions): Promise<T.ExternalAccount>;
      /**
       * Delete an external account. `DELETE /customers/external-accounts/{externalAccountId}`
       *
       * The account can no longer be paid. Payments that are under way are not stopped. A trusted beneficiary must first lose that trust.
       */
      delete(externalAccountId: string, options?: CallOptions): Promise<void>;
      /**
       * Get an external account. `GET /customers/external-accounts/{externalAccountId}`
       *
       * Returns an external account.
       */
      get(externalAccountId: string, options?: CallOptions): Promise<T.ExternalAccount>;
      /**
       * List customers' external accounts. `GET /customers/external-accounts`
       *
       * Lists external accounts of customers, newest first.
       */
      list(query?: { currency?: string; customerId?: string; limit?: number; cursor?: string }, options?: CallOptions): Pages<T.ExternalAccountListResponse>;
      /**
       * Start to trust a beneficiary: payments to it need no challenge of their own. `POST /customers/external-accounts/{externalAccountId}/trust`
       *
       * Makes the challenge that the customer answers to trust the beneficiary. Payments to it then need no challenge of their own.
       */
      trust(externalAccountId: string, options?: CallOptions): Promise<T.BeneficiaryTrustStart>;
      /**
       * Start to end the trust in a beneficiary. `POST /customers/external-accounts/{externalAccountId}/untrust`
       *
       * Makes the challenge that the customer answers to end the trust.
       */
      untrust(externalAccountId: string, options?: CallOptions): Promise<T.BeneficiaryTrustStart>;
      /**
       * Verify ownership with a wallet signature. `POST /customers/external-accounts/{externalAccountId}/verify`
       *
       * Checks the wallet's signature over the message of the open challenge. Every attempt is recorded as a proof, also a failed one. A valid proof makes the account `ACTIVE`.
       */
      verify(externalAccountId: string, body: T.OwnershipVerifyRequest, options?: KeyOptions): Promise<T.ExternalAccount>;
    };
    /**
     * Get a customer. `GET /customers/{customerId}`
     *
     * Returns a customer. A deleted one is found only in the list.
     */
    get(customerId: string, options?: CallOptions): Promise<T.CustomerOneOf>;
    internalAccounts: {
      /**
       * List customers' internal accounts. `GET /customers/internal-accounts`
       *
       * Lists accounts of customers with their balances, newest first.
       */
      list(query?: { currency?: string; type?: T.InternalAccountType; customerId?: string; limit?: number; cursor?: string }, options?: CallOptions): Pages<T.InternalAccountListResponse>;
    };
    /**
     * Create a single-use link to the hosted page on which the customer is verified. `POST /customers/{customerId}/kyc-link`
     *
     * Makes a link to a page of the service on which the end user gives what is missing. The link is used up by a submission, not by opening it. Earlier links stay valid until they are used or expire.
     */
    kycLink(customerId: string, body?: T.KycLinkCreateRequest, options?: KeyOptions): Promise<T.KycLinkResponse>;
    /**
     * List customers. `GET /customers`
     *
     * Lists customers, newest first. Deleted ones are listed only with `isIncludingDeleted`.
     */
    list(query?: { platformCustomerId?: string; customerType?: T.CustomerType; region?: string; currency?: string; umaAddress?: string; isIncludingDeleted?: boolean; createdAfter?: string; createdBefore?: string; updatedAfter?: string; updatedBefore?: string; limit?: number; cursor?: string }, options?: CallOptions): Pages<T.CustomerListResponse>;
    /**
     * Send a code to the customer's e-mail address; an older code is void. `POST /customers/{customerId}/verify-email`
     *
     * Sends a code by mail. A code that was sent before is void. In the sandbox the code is `123456` and nothing is sent.
     */
    sendEmailCode(customerId: string, options?: CallOptions): Promise<void>;
    /**
     * Send a code to the customer's phone number; an older code is void. `POST /customers/{customerId}/verify-phone`
     *
     * Sends a code by text message. A code that was sent before is void. In the sandbox the code is `123456` and nothing is sent.
     */
    sendPhoneCode(customerId: string, options?: CallOptions): Promise<void>;
    /**
     * Change a customer. `PATCH /customers/{customerId}`
     *
     * Changes the members that are sent. A new e-mail address or phone number of a customer with an embedded wallet must be proven first: the request then answers 202, and the wallet's owner signs the retry.
     */
    update(customerId: string, body: T.CustomerUpdateRequestOneOf, options?: SignedOptions): Promise<T.CustomerOneOf>;
  };
  discoveries: {
    /**
     * List banks and mobile wallets by country and currency. `GET /discoveries`
     *
     * Lists banks and mobile wallets, with the name that `accountInfo.bankName` of an external account takes.
     */
    list(query?: { country?: string; currency?: string }, options?: CallOptions): Pages<T.DiscoveryListResponse>;
  };
  documents: {
    /**
     * Delete a document that was not submitted; its file is erased. `DELETE /documents/{documentId}`
     *
     * Deletes a document that no verification has used, and erases its file.
     */
    delete(documentId: string, options?: CallOptions): Promise<void>;
    /**
     * Read the file of a document; each reading is recorded. `POST /documents/{documentId}/download`
     *
     * Returns the file with its own media type. Who read it and when is recorded.
     */
    download(documentId: string, options?: CallOptions): Promise<Uint8Array>;
    /**
     * Get the description of a document. `GET /documents/{documentId}`
     *
     * Returns the description of a document, without the file.
     */
    get(documentId: string, options?: CallOptions): Promise<T.Document>;
    /**
     * List documents, the newest first. `GET /documents`
     *
     * Lists descriptions of documents, newest first. The files are read with `downloadDocument`.
     */
    list(query?: { documentHolder?: string; limit?: number; cursor?: string }, options?: CallOptions): Pages<T.DocumentListResponse>;
    /**
     * Replace the file and the description of a document; the previous file is erased. `PUT /documents/{documentId}`
     *
     * Replaces the file and its description. The previous file is erased.
     */
    replace(documentId: string, body: T.DocumentReplaceRequest, options?: CallOptions): Promise<T.Document>;
    /**
     * Upload a document of a customer or a beneficial owner. `POST /documents`
     *
     * Takes a PDF, JPEG or PNG as multipart/form-data. The file is checked for its kind and quality before it is kept, and stored encrypted. A holder has at most one document per type and side.
     */
    upload(body: T.DocumentUploadRequest, options?: KeyOptions): Promise<T.Document>;
  };
  exchangeRates: {
    /**
     * List exchange rates. `GET /exchange-rates`
     *
     * Lists what an amount buys now, with fees, for each pair of currencies that has a rate and a bank rail: one row, with the default rail. Stablecoins and other assets on chains are priced by a quote only. Nothing is reserved: a quote fixes a rate.
     */
    list(query?: { sourceCurrency?: string; destinationCurrency?: string[]; sendingAmount?: number }, options?: CallOptions): Pages<T.ExchangeRateListResponse>;
  };
  externalAccounts: {
    ownershipProofs: {
      /**
       * List the ownership proofs of an account, also of a deleted one. `GET /external-accounts/{externalAccountId}/ownership-proofs`
       *
       * Lists what was signed, by which address, and how it was judged. Proofs stay when the account is deleted.
       */
      list(externalAccountId: string, query?: { limit?: number; cursor?: string }, options?: CallOptions): Pages<T.OwnershipProofListResponse>;
    };
  };
  internalAccounts: {
    balanceChanges: {
      /**
       * List the balance changes of an account in a window of time. `GET /internal-accounts/{id}/balance-changes`
       *
       * Lists what changed the balance between two times, oldest first, with the balances at both ends. The window must be over, and card settlement closed for an account that funds a card. Only a customer's own USD account has statements. Opening balance and changes add up to the closing balance.
       */
      list(id: string, query: { startDate: string; endDate: string; limit?: number; cursor?: string }, options?: CallOptions): Pages<T.BalanceChangeListResponse>;
    };
    /**
     * Confirm that the statement of a month was delivered. `POST /internal-accounts/{id}/confirm-statement`
     *
     * Records that the customer received the statement. The first confirmation counts.
     */
    confirmStatement(id: string, body: T.ConfirmStatementDeliveryRequest, options?: CallOptions): Promise<T.StatementDelivery>;
    /**
     * Create a rule-based account. `POST /internal-accounts`
     *
     * Creates an account that passes money on by itself: what arrives is sent to the destination of its rule. A holder may have several.
     */
    create(body: T.InternalAccountCreateRequest, options?: KeyOptions): Promise<T.InternalAccount>;
    /**
     * Export an embedded wallet's recovery phrase, sealed to the owner's key. `POST /internal-accounts/{id}/export`
     *
     * Returns the wallet's recovery phrase, encrypted to a key of the owner's device. The owner signs the request: the first call answers 202. The service keeps working with the wallet.
     */
    export(id: string, body: T.InternalAccountExportRequest, options?: SignedOptions): Promise<T.InternalAccountExportResult>;
    /**
     * Get an internal account. `GET /internal-accounts/{id}`
     *
     * Returns an internal account of a customer or of the platform, with its balances and with what its holder owes (`amountOwed`). An extension of this service: the lists do not show debts.
     */
    get(id: string, options?: CallOptions): Promise<T.InternalAccountDetails>;
    statement: {
      /**
       * Get the statement of a month as HTML or CSV. `GET /internal-accounts/{id}/statement`
       *
       * Returns the month as a page for people, or as CSV if the request accepts `text/csv`. Months are those of US Central time. A month can be read when it is over and, for an account that funds a card, card settlement has closed. It then never changes.
       */
      get(id: string, query: { periodStart: string }, options?: CallOptions): Promise<string>;
    };
    /**
     * Change an embedded wallet account. `PATCH /internal-accounts/{id}`
     *
     * Changes an embedded wallet. The owner signs the change: the first call answers 202.
     */
    update(id: string, body: T.InternalAccountUpdateRequest, options?: SignedOptions): Promise<T.InternalAccount>;
  };
  invitations: {
    /**
     * Cancel an invitation that nobody has claimed. `POST /invitations/{invitationCode}/cancel`
     *
     * Only the platform that created the invitation can cancel it. The page of a cancelled invitation says so.
     */
    cancel(invitationCode: string, options?: CallOptions): Promise<T.UmaInvitation>;
    /**
     * Claim an invitation for one of your customers. `POST /invitations/{invitationCode}/claim`
     *
     * Tells the inviter the UMA address of the invitee, a customer of the calling platform. The platform that created the invitation receives the event `INVITATION.CLAIMED`. An invitation is claimed once.
     */
    claim(invitationCode: string, body: T.UmaInvitationClaimRequest, options?: CallOptions): Promise<T.UmaInvitation>;
    /**
     * Invite somebody who has no UMA address yet. `POST /invitations`
     *
     * Creates an invitation of one of your customers. Send its `url` to the invitee; whoever opens an account with it claims the invitation by its `code`. `amountToSend` is shown to the invitee and moves no money.
     */
    create(body: T.UmaInvitationCreateRequest, options?: CallOptions): Promise<T.UmaInvitation>;
    /**
     * Get an invitation by its code. `GET /invitations/{invitationCode}`
     *
     * Every platform of the installation can read an invitation whose code it knows. An invitation past its `expiresAt` is `EXPIRED`, by the clock of the platform that created it.
     */
    get(invitationCode: string, options?: CallOptions): Promise<T.UmaInvitation>;
  };
  issuer: {
    authorizations: {
      /**
       * Decide an authorization for an issuer's processor, in time. `POST /issuer/authorizations`
       *
       * Called by the processor of an issuer for each purchase. The answer comes within the issuer's deadline; a decision that would be late is a decline and is reversed. A repeat with the same token gets the same decision.
       */
      create(body: T.IssuerAuthorizationRequest, options?: CallOptions): Promise<T.IssuerAuthorizationResponse>;
    };
    messages: {
      /**
       * Record a network message about a transaction; repeated messages count once. `POST /issuer/messages`
       *
       * Called by the processor of an issuer for clearings, reversals, returns and the like. Messages may come in any order and more than once. A clearing or an advice of an unknown transaction opens it.
       */
      create(body: T.IssuerMessageRequest, options?: KeyOptions): Promise<T.IssuerMessageResponse>;
    };
  };
  kyc: {
    /**
     * The hosted page of a link, for the browser of the end user: HTML, also where the link cannot be used (404). `GET /kyc/{token}`
     *
     * Opened by the browser of the end user. It shows only the fields that are still missing.
     */
    get(token: string, options?: CallOptions): Promise<string>;
    /**
     * The form of the hosted page: stores what was given and submits the customer; 303 to `redirectUri` once nothing is missing. `POST /kyc/{token}`
     *
     * Sent by the page. It stores what was given and submits the customer for verification.
     */
    submit(token: string, body: Record<string, unknown>, options?: CallOptions): Promise<string>;
  };
  paymentDocuments: {
    /**
     * Upload a document that supports a payment. `POST /payment-documents`
     *
     * Some destinations take a payment only with documents, such as an invoice or a contract. Upload the documents first, then name them in `documentIds` of the quote. A document belongs to the customer that it is uploaded for, supports one quote, and expires after 24 hours if no quote uses it. Its content is stored encrypted and erased when it is attached or expires.
     */
    create(body: T.PaymentDocumentUploadRequest, options?: CallOptions): Promise<T.PaymentDocument>;
    /**
     * Get the description of a payment document. `GET /payment-documents/{paymentDocumentId}`
     *
     * The description shows whether the document can still be used. The content cannot be read back.
     */
    get(paymentDocumentId: string, options?: CallOptions): Promise<T.PaymentDocument>;
  };
  platform: {
    externalAccounts: {
      /**
       * Start an ownership challenge, which replaces an open one. `POST /platform/external-accounts/{externalAccountId}/challenge`
       *
       * Makes a message for the wallet to sign, or a liveness check where the wallet cannot sign. A new challenge replaces the open one.
       */
      challenge(externalAccountId: string, body: T.OwnershipChallengeRequest, options?: KeyOptions): Promise<T.OwnershipChallenge>;
      /**
       * Add an external account of the platform. `POST /platform/external-accounts`
       *
       * As for customers; the platform itself is the owner.
       */
      create(body: T.PlatformExternalAccountCreateRequest, options?: KeyOptions): Promise<T.ExternalAccount>;
      /**
       * Delete an external account. `DELETE /platform/external-accounts/{externalAccountId}`
       *
       * The account can no longer be paid. Payments that are under way are not stopped.
       */
      delete(externalAccountId: string, options?: CallOptions): Promise<void>;
      /**
       * Get an external account. `GET /platform/external-accounts/{externalAccountId}`
       *
       * Returns an external account of the platform.
       */
      get(externalAccountId: string, options?: CallOptions): Promise<T.ExternalAccount>;
      /**
       * List the platform's own external accounts. `GET /platform/external-accounts`
       *
       * Lists the platform's external accounts, newest first.
       */
      list(query?: { currency?: string; limit?: number; cursor?: string }, options?: CallOptions): Pages<T.ExternalAccountListResponse>;
      /**
       * Verify ownership of the platform's or a customer's account with a wallet signature. `POST /platform/external-accounts/{externalAccountId}/verify`
       *
       * Checks the wallet's signature over the message of the open challenge. Every attempt is recorded as a proof, also a failed one.
       */
      verify(externalAccountId: string, body: T.OwnershipVerifyRequest, options?: KeyOptions): Promise<T.ExternalAccount>;
    };
    internalAccounts: {
      /**
       * List the platform's own internal accounts. `GET /platform/internal-accounts`
       *
       * Lists the platform's own accounts with their balances.
       */
      list(query?: { currency?: string; type?: T.InternalAccountType }, options?: CallOptions): Pages<T.PlatformInternalAccountListResponse>;
    };
    positions: {
      /**
       * List the positions of the service-side accounts. `GET /platform/positions`
       *
       * Shows where money of the platform is that is on no account of a customer or of the platform itself: on its way, converted, in suspense or lost. The positions of a currency and all balances in it add up to zero. An extension of this service.
       */
      list(options?: CallOptions): Pages<T.ServicePositionList>;
    };
  };
  quotes: {
    /**
     * Authorize a payment with the code or the passkey of its payer, once per challenge. `POST /quotes/{quoteId}/authorize`
     *
     * Answers the challenge of a payment that waits for its payer. A wrong answer counts; too many of them lock the customer. The payment goes on at once when the answer is right.
     */
    authorize(quoteId: string, body: T.ScaAuthorization, options?: CallOptions): Promise<T.Quote>;
    /**
     * Price a payment. `POST /quotes`
     *
     * Fixes a price for a short time: amounts, rate and every fee. Nothing moves until it is executed. Lock either the sending or the receiving amount. A quote from an embedded wallet carries the text that its owner signs; a quote with realtime funding says where to pay.
     */
    create(body: T.QuoteRequest, options?: KeyOptions): Promise<T.Quote>;
    /**
     * Execute a quote. `POST /quotes/{quoteId}/execute`
     *
     * Moves the money at the quoted price. A customer in a regulated region may first have to authorize it: the status is then `PENDING_AUTHORIZATION` and `scaChallenge` says how. An expired quote cannot be executed.
     */
    execute(quoteId: string, body?: T.ExecuteQuoteRequest, options?: KeyOptions): Promise<T.Quote>;
    /**
     * Get a quote. `GET /quotes/{quoteId}`
     *
     * Returns a quote with its current state.
     */
    get(quoteId: string, options?: CallOptions): Promise<T.Quote>;
    /**
     * Send the code of the open challenge again; the challenge does not live longer. `POST /quotes/{quoteId}/authorize/resend`
     *
     * Sends the code again. The challenge does not live longer.
     */
    resendCode(quoteId: string, options?: CallOptions): Promise<void>;
  };
  receiver: {
    externalAccount: {
      /**
       * Look up the receiver behind an external account. `GET /receiver/external-account/{accountId}`
       *
       * Shows the currency of the account with its rate and bounds, as `GET /receiver/uma/{receiverUmaAddress}` does for an address. A quote to the account may name the `lookupId`, and does not have to.
       */
      get(accountId: string, query?: { senderUmaAddress?: string; customerId?: string; sendingCurrency?: string }, options?: CallOptions): Promise<T.ReceiverExternalAccountLookupResponse>;
    };
    uma: {
      /**
       * Look up the receiver at a UMA address. `GET /receiver/uma/{receiverUmaAddress}`
       *
       * Asks the receiver's provider which currencies the receiver can get and what it must know about the sender. The answer names a `lookupId`, which quotes to the address need; it is good for an hour. In the sandbox, addresses exist at the domain `sandbox.uma.money` (`$success.usd`, `$success.eur`, `$success.mxn`, `$pending.long.usd`, `$fail.compliance.usd`) and at the platform's own `umaDomain`.
       */
      get(receiverUmaAddress: string, query?: { senderUmaAddress?: string; customerId?: string; sendingCurrency?: string }, options?: CallOptions): Promise<T.ReceiverUmaLookupResponse>;
    };
  };
  requests: {
    /**
     * Get a request by the `X-Request-Id` of its answer. `GET /requests/{id}`
     *
     * In sandbox with both bodies, as far as they are kept: secrets are masked by the schema of the operation, and an answer that is shown only once is left out. A live installation keeps no body.
     */
    get(id: string, options?: CallOptions): Promise<T.LoggedRequest>;
    /**
     * List the requests of the platform, newest first. `GET /requests`
     *
     * The log keeps the last 7 days, at most 100,000 requests. It is written shortly after a request has ended and never delays one: under heavy load it records a part, and `unrecordedBefore` says how many are missing. Requests without valid credentials and reads of this log are not in it.
     */
    list(query?: { limit?: number; cursor?: string; operation?: string; status?: string; tokenId?: string; objectId?: string }, options?: CallOptions): Pages<T.LoggedRequestListResponse>;
    /**
     * Stream requests as they end, as server-sent events. `GET /requests/stream`
     *
     * Each message has the name `request`, the request id as its id, and the request as in the list. A reader that reconnects sends the last id it has seen and misses nothing that is still kept.
     */
    stream(query?: { operation?: string; status?: string; tokenId?: string; lastRequestId?: string; since?: string }, options?: StreamOptions): AsyncIterable<NonNullable<T.LoggedRequestListResponse['data']>[number]>;
  };
  sandbox: {
    cardPages: {
      details: {
        /**
         * The page of the sandbox issuer that shows a card number. `GET /sandbox/card-pages/details`
         *
         * Opened by a browser. It shows a card number that no network knows.
         */
        get(query: { token: string }, options?: CallOptions): Promise<string>;
      };
      pin: {
        /**
         * The page of the sandbox issuer on which a PIN is chosen. `GET /sandbox/card-pages/pin`
         *
         * Opened by a browser. It asks for a PIN.
         */
        get(query: { token: string }, options?: CallOptions): Promise<string>;
        /**
         * Submit the PIN chosen on the page of the sandbox issuer. `POST /sandbox/card-pages/pin`
         *
         * Sent by the page. It sets the PIN.
         */
        submit(body: T.SandboxPinEntry, options?: CallOptions): Promise<void>;
      };
    };
    cardProgram: {
      /**
       * Choose the program of cards issued next. `PUT /sandbox/card-program`
       *
       * Chooses the program of cards that are issued from now on. Existing cards keep theirs.
       */
      set(body: T.SandboxCardProgramRequest, options?: CallOptions): Promise<T.SandboxCardProgram>;
    };
    cardPrograms: {
      /**
       * List the card programs of the sandbox issuer. `GET /sandbox/card-programs`
       *
       * Lists the programs of the sandbox issuer. They differ in what their cards can do.
       */
      list(options?: CallOptions): Pages<T.SandboxCardProgramList>;
    };
    cards: {
      simulate: {
        /**
         * Simulate a card authorization. `POST /sandbox/cards/{id}/simulate/authorization`
         *
         * Plays a merchant that asks for money. The decision is made as for a real purchase. The last three characters of the merchant's descriptor can choose an outcome: `002` is declined for insufficient funds, for example.
         */
        authorization(id: string, body: T.SandboxCardAuthorizationRequest, options?: KeyOptions): Promise<T.SandboxCardSimulationResponse>;
        /**
         * Simulate an advice that gives an authorization a new total. `POST /sandbox/cards/{id}/simulate/authorization_advice`
         *
         * Plays an advice that gives an authorization a new total.
         */
        authorizationAdvice(id: string, body: T.SandboxCardAuthorizationAdviceRequest, options?: KeyOptions): Promise<T.SandboxCardSimulationResponse>;
        /**
         * Simulate the expiry of an authorization. `POST /sandbox/cards/{id}/simulate/authorization_expiry`
         *
         * Plays the expiry of an authorization that was not cleared.
         */
        authorizationExpiry(id: string, body: T.SandboxCardTransactionRefRequest, options?: KeyOptions): Promise<T.SandboxCardSimulationResponse>;
        /**
         * Simulate the reversal of an authorization, in part or whole. `POST /sandbox/cards/{id}/simulate/authorization_reversal`
         *
         * Plays a merchant that gives up an authorization, in part or whole.
         */
        authorizationReversal(id: string, body: T.SandboxCardReversalRequest, options?: KeyOptions): Promise<T.SandboxCardSimulationResponse>;
        /**
         * Simulate a balance inquiry. `POST /sandbox/cards/{id}/simulate/balance_inquiry`
         *
         * Plays a cash machine that asks for the balance. Nothing moves.
         */
        balanceInquiry(id: string, body: T.SandboxCardBalanceInquiryRequest, options?: KeyOptions): Promise<T.SandboxCardSimulationResponse>;
        /**
         * Simulate a clearing. `POST /sandbox/cards/{id}/simulate/clearing`
         *
         * Plays the clearing of a purchase. It may be smaller or larger than the authorization, and may come in parts.
         */
        clearing(id: string, body: T.SandboxCardClearingRequest, options?: KeyOptions): Promise<T.SandboxCardSimulationResponse>;
        /**
         * Simulate a credit authorization. `POST /sandbox/cards/{id}/simulate/credit_authorization`
         *
         * Plays a merchant that announces money for the cardholder.
         */
        creditAuthorization(id: string, body: T.SandboxCardAuthorizationRequest, options?: KeyOptions): Promise<T.SandboxCardSimulationResponse>;
        /**
         * Simulate the advice of a credit authorized elsewhere. `POST /sandbox/cards/{id}/simulate/credit_authorization_advice`
         *
         * Plays the report of a credit that the network approved by itself.
         */
        creditAuthorizationAdvice(id: string, body: T.SandboxCardAuthorizationRequest, options?: KeyOptions): Promise<T.SandboxCardSimulationResponse>;
        /**
         * Simulate the end of a dispute. `POST /sandbox/cards/{id}/simulate/dispute_close`
         *
         * Plays the end of the dispute, won or lost.
         */
        disputeClose(id: string, body: T.SandboxCardDisputeCloseRequest, options?: KeyOptions): Promise<T.SandboxCardDisputeResponse>;
        /**
         * Simulate the opening of a dispute. `POST /sandbox/cards/{id}/simulate/dispute_open`
         *
         * Plays a cardholder who disputes a purchase.
         */
        disputeOpen(id: string, body: T.SandboxCardDisputeOpenRequest, options?: KeyOptions): Promise<T.SandboxCardDisputeResponse>;
        /**
         * Simulate a provisional credit of a dispute. `POST /sandbox/cards/{id}/simulate/dispute_provisional_credit`
         *
         * Plays the issuer: credits the cardholder while the dispute is open.
         */
        disputeProvisionalCredit(id: string, body: T.SandboxCardDisputeCreditRequest, options?: KeyOptions): Promise<T.SandboxCardDisputeResponse>;
        /**
         * Simulate the reversal of a provisional credit. `POST /sandbox/cards/{id}/simulate/dispute_provisional_credit_reversal`
         *
         * Plays the issuer: takes the provisional credit back.
         */
        disputeProvisionalCreditReversal(id: string, body: T.SandboxCardDisputeCreditRequest, options?: KeyOptions): Promise<T.SandboxCardDisputeResponse>;
        /**
         * Simulate an authorization that settles at once. `POST /sandbox/cards/{id}/simulate/financial_authorization`
         *
         * Plays a purchase that is authorized and cleared in one message, as at a cash machine.
         */
        financialAuthorization(id: string, body: T.SandboxCardAuthorizationRequest, options?: KeyOptions): Promise<T.SandboxCardSimulationResponse>;
        /**
         * Simulate a credit that settles at once. `POST /sandbox/cards/{id}/simulate/financial_credit_authorization`
         *
         * Plays money for the cardholder that is authorized and cleared in one message.
         */
        financialCreditAuthorization(id: string, body: T.SandboxCardAuthorizationRequest, options?: KeyOptions): Promise<T.SandboxCardSimulationResponse>;
        /**
         * Play the issuer: three wrong PINs in a row were tried. `POST /sandbox/cards/{id}/simulate/pin_blocked`
         *
         * Plays a cardholder who entered a wrong PIN three times.
         */
        pinBlocked(id: string, options?: CallOptions): Promise<void>;
        /**
         * Simulate a return. `POST /sandbox/cards/{id}/simulate/return`
         *
         * Plays a merchant that gives money back after a purchase.
         */
        return(id: string, body: T.SandboxCardReturnRequest, options?: KeyOptions): Promise<T.SandboxCardSimulationResponse>;
        /**
         * Simulate the reversal of a return. `POST /sandbox/cards/{id}/simulate/return_reversal`
         *
         * Plays a merchant that takes a return back.
         */
        returnReversal(id: string, body: T.SandboxCardTransactionRefRequest, options?: KeyOptions): Promise<T.SandboxCardSimulationResponse>;
      };
    };
    clock: {
      /**
       * Read the platform's clock. `GET /sandbox/clock`
       *
       * Returns the time of the platform's clock and whether it stands still.
       */
      get(options?: CallOptions): Promise<T.SandboxClock>;
      /**
       * Freeze, set, advance or resume the platform's clock. `PUT /sandbox/clock`
       *
       * Freezes, sets, advances or resumes the clock. Work that falls due on the way is done, in order, before the answer; `ran` lists it.
       */
      set(body: T.SandboxClockRequest, options?: CallOptions): Promise<T.SandboxClock>;
    };
    customers: {
      verificationStatus: {
        /**
         * Play compliance: set the verification status of a customer, for example HOLD. `PUT /sandbox/customers/{customerId}/verification-status`
         *
         * Plays compliance: sets the status of a customer, for example `HOLD`.
         */
        set(customerId: string, body: T.SandboxVerificationStatus, options?: CallOptions): Promise<T.CustomerOneOf>;
      };
    };
    exchangeRates: {
      /**
       * Move one currency of the sandbox market. `PUT /sandbox/exchange-rates`
       *
       * Moves one currency of the sandbox market, or makes it unavailable. Quotes that were made before keep their price.
       */
      set(body: T.SandboxExchangeRateRequest, options?: CallOptions): Promise<T.SandboxExchangeRate>;
    };
    externalAccounts: {
      /**
       * Simulate the result of the open LIVENESS challenge: PASS or FAIL. `POST /sandbox/external-accounts/{externalAccountId}/liveness`
       *
       * Plays the vendor of the liveness check of an external account.
       */
      liveness(externalAccountId: string, body: T.SandboxLivenessOutcomeRequest, options?: CallOptions): Promise<T.ExternalAccount>;
    };
    faults: {
      /**
       * Remove all faults of the platform. `DELETE /sandbox/faults`
       *
       * Removes every fault of this platform. Requests that a fault delays at the moment are not affected.
       */
      delete(options?: CallOptions): Promise<void>;
      /**
       * List the faults of the platform. `GET /sandbox/faults`
       *
       * Lists what goes wrong on purpose on this platform, and how often it still does.
       */
      list(options?: CallOptions): Pages<T.SandboxFaults>;
      /**
       * Set the faults of the platform. `PUT /sandbox/faults`
       *
       * Replaces the faults of this platform: requests that are refused, late or cut, webhooks that are lost or doubled, and providers that refuse, are slow or silent. An answer that a fault made, delayed or had a part in names its kind in the header `Switchyard-Fault`; what a provider is asked for after the answer, such as a new card, shows in the object and its events. All processes of the installation follow within two seconds. No other platform is affected.
       */
      set(body: T.SandboxFaultsRequest, options?: CallOptions): Pages<T.SandboxFaults>;
    };
    fixtures: {
      /**
       * Apply a fixture to the platform. `POST /sandbox/fixtures`
       *
       * Runs the steps of a fixture in their order: calls of operations and changes of the clock, in JSON or in YAML. A step refers to the answer of an earlier one with `${step.member}`. Steps that were applied before are not repeated, so applying a fixture twice changes nothing, and a fixture that grew is continued. A step that is refused ends the run with 409 `CONFLICT`; the steps before it stay applied.
       */
      apply(body: T.SandboxFixtureRequest, options?: CallOptions): Promise<T.SandboxFixture>;
    };
    internalAccounts: {
      /**
       * Simulate a deposit to an internal account. `POST /sandbox/internal-accounts/{accountId}/fund`
       *
       * Plays a bank: money arrives on the account at once.
       */
      fund(accountId: string, body: T.SandboxFundRequest, options?: KeyOptions): Promise<T.InternalAccount>;
    };
    issuerCredentials: {
      /**
       * Create a credential for an issuer's processor; its secret is shown once. `POST /sandbox/issuer-credentials`
       *
       * Makes a key id and a secret with which a processor signs its requests. The secret is shown once.
       */
      create(body: T.IssuerCredentialCreateRequest, options?: CallOptions): Promise<T.IssuerCredential>;
      /**
       * Revoke a credential of an issuer's processor. `DELETE /sandbox/issuer-credentials/{id}`
       *
       * Requests with the credential are refused from now on.
       */
      delete(id: string, options?: CallOptions): Promise<void>;
      /**
       * List the credentials of issuers' processors, newest first. `GET /sandbox/issuer-credentials`
       *
       * Lists the credentials, without their secrets.
       */
      list(options?: CallOptions): Pages<T.IssuerCredentialList>;
    };
    messages: {
      /**
       * List the messages to end users of the last 24 hours; the sandbox sends none. `GET /sandbox/messages`
       *
       * Shows what customers would have received by mail or text message in the last 24 hours, codes included. Codes of embedded wallets are not among them: they are always `000000`.
       */
      list(query?: { to?: string; channel?: T.MessageChannel; limit?: number; cursor?: string }, options?: CallOptions): Pages<T.SandboxMessageListResponse>;
    };
    oidc: {
      /**
       * The published keys of the sandbox issuer. `GET /sandbox/oidc/jwks.json`
       *
       * The public keys of that provider, as a JSON Web Key Set.
       */
      keys(options?: CallOptions): Promise<T.JsonWebKeySet>;
      tokens: {
        /**
         * Have the sandbox issuer https://issuer.sandbox.switchyard.test sign an OIDC token. `POST /sandbox/oidc/tokens`
         *
         * Plays an identity provider: signs a token that `OAUTH` credentials accept.
         */
        create(body: T.SandboxOidcTokenRequest, options?: CallOptions): Promise<T.SandboxOidcToken>;
      };
    };
    reset: {
      /**
       * Delete all data of the platform. `POST /sandbox/reset`
       *
       * Deletes customers, accounts, cards, payments, events and everything else of this platform, and lets its clock run with the real time. API tokens, issuer credentials, keys, the configuration with the webhook endpoint, the request log and snapshots stay. Requests in progress end first; one that takes longer than ten seconds makes this one fail with 503 and change nothing. Other platforms are not affected.
       */
      create(body: T.SandboxResetRequest, options?: CallOptions): Promise<T.SandboxReset>;
    };
    sca: {
      factors: {
        reset: {
          /**
           * Simulate the result of the liveness check of a reset: PASS, FAIL or REVIEW. `POST /sandbox/sca/factors/reset/{resetId}/liveness`
           *
           * Plays the vendor of the liveness check of a reset.
           */
          liveness(resetId: string, body: T.TwoFactorResetLivenessRequest, options?: CallOptions): Promise<T.TwoFactorResetStatus>;
        };
      };
      liveness: {
        /**
         * The page on which the user of the sandbox decides how a liveness check ends, of a reset or of a wallet. `GET /sandbox/sca/liveness`
         *
         * Opened by a browser. It shows the choices of `submitSandboxLiveness`.
         */
        get(query: { token: string }, options?: CallOptions): Promise<string>;
        /**
         * Submit the result chosen on the liveness page of the sandbox. `POST /sandbox/sca/liveness`
         *
         * Sent by the page. It ends the liveness check with the chosen result.
         */
        submit(body: T.SandboxLivenessEntry, options?: CallOptions): Promise<void>;
      };
    };
    send: {
      /**
       * Simulate the payer of a realtime quote. `POST /sandbox/send`
       *
       * Sends money for a quote with realtime funding, as its payer would by the payment instructions. Exactly the amount of the quote lets it run; any other amount makes the payment fail and is refunded.
       */
      create(body: T.SandboxSendRequest, options?: CallOptions): Promise<T.TransactionOneOf>;
    };
    snapshots: {
      /**
       * Take a snapshot of the platform. `POST /sandbox/snapshots`
       *
       * Keeps all data of this platform, as it is at one moment, with its configuration and its clock. API tokens, issuer credentials, keys and the request log are not part of it. Requests in progress are not part of it either, and do not wait.
       */
      create(body: T.SandboxSnapshotRequest, options?: CallOptions): Promise<T.SandboxSnapshot>;
      /**
       * Delete a snapshot of the platform. `DELETE /sandbox/snapshots/{name}`
       *
       * Deletes a snapshot. The data of the platform stays as it is.
       */
      delete(name: string, options?: CallOptions): Promise<void>;
      /**
       * Export a snapshot as a file. `POST /sandbox/snapshots/{name}/export`
       *
       * Answers the snapshot as one file, for a bug report or another installation. The file is encrypted with the passphrase; only the version of the service and the number of rows are readable without it. API tokens, issuer credentials, keys, access tokens of agents and the request log are not part of it.
       */
      export(name: string, body: T.SandboxSnapshotExportRequest, options?: CallOptions): Promise<Uint8Array>;
      /**
       * Import a snapshot from a file. `POST /sandbox/snapshots/import`
       *
       * Reads an exported file, of this or another installation, as a snapshot of this platform; a restore then writes its data, with the same ids. Every row is checked, and the data is written once for trial. A file that is damaged, that breaks a rule of the data or whose ledger does not balance is refused with 400, one of another version of the service with 409 `CONFLICT`; nothing is stored then.
       */
      import(body: T.SandboxSnapshotImportRequest, options?: CallOptions): Promise<T.SandboxSnapshot>;
      /**
       * List the snapshots of the platform. `GET /sandbox/snapshots`
       *
       * Lists the snapshots of this platform, newest first.
       */
      list(options?: CallOptions): Pages<T.SandboxSnapshotListResponse>;
      /**
       * Restore a snapshot of the platform. `POST /sandbox/snapshots/{name}/restore`
       *
       * Replaces all data, the configuration and the clock of this platform by those of the snapshot, with the same ids. Events that were not delivered when it was taken are delivered. Requests in progress end first; one that takes longer than ten seconds makes this one fail with 503 and change nothing. A snapshot of another version of the service is refused with 409 `CONFLICT`, and so is one whose key-encryption key was dropped since.
       */
      restore(name: string, options?: CallOptions): Promise<T.SandboxSnapshot>;
    };
    transactions: {
      /**
       * Simulate what a bank does after settlement. `POST /sandbox/transactions/{transactionId}/rail-event`
       *
       * Plays a return, the dishonor of a return, its contest, or a reversal on an ACH payment. An extension of this service. An event that cannot follow the present status of the rail is refused.
       */
      railEvent(transactionId: string, body: T.SandboxRailEvent, options?: CallOptions): Promise<T.TransactionOneOf>;
    };
    uma: {
      receive: {
        /**
         * Play a payment from a UMA address to a customer. `POST /sandbox/uma/receive`
         *
         * The counterparty of the sandbox looks the customer up, agrees on the payment and makes it. The answer is the transaction, which waits for the decision of the platform: its `INCOMING_PAYMENT.PENDING` webhook asks for it. `$fail.compliance.usd` is refused before the platform is asked, and money of `$pending.long.usd` arrives 360 seconds after the approval.
         */
        create(body: T.SandboxUmaReceiveRequest, options?: CallOptions): Promise<T.IncomingTransaction>;
      };
    };
    verifications: {
      /**
       * Play the provider: decide a verification that is under review. `POST /sandbox/verifications/{verificationId}/decision`
       *
       * Plays the provider: decides a verification that is under review.
       */
      decide(verificationId: string, body: T.SandboxVerificationDecision, options?: CallOptions): Promise<T.Verification>;
    };
  };
  sca: {
    factors: {
      /**
       * Confirm the enrolment with a code of the app or with the new passkey. `POST /sca/factors/confirm`
       *
       * Enrols the factor. Recovery codes of an authenticator app are shown this once.
       */
      confirm(query: { customerId: string }, body: T.ScaFactorConfirmRequestOneOf, options?: CallOptions): Promise<T.ScaFactorConfirmResponseOneOf>;
      /**
       * Start to enrol an authenticator app or a passkey, within 10 minutes; starting again replaces the open enrolment. `POST /sca/factors`
       *
       * Makes the secret of an authenticator app or the options of a passkey. The enrolment must be confirmed within ten minutes.
       */
      create(query: { customerId: string }, body: T.ScaFactorEnrollRequestOneOf, options?: CallOptions): Promise<T.ScaFactorEnrollStartOneOf>;
      /**
       * Delete a passkey; an authenticator app is removed by a reset. `DELETE /sca/factors/{credentialId}`
       *
       * Deletes a passkey. An authenticator app is removed by a reset.
       */
      delete(credentialId: string, query: { customerId: string }, options?: CallOptions): Promise<void>;
      /**
       * List the factors that the customer can use now. `GET /sca/factors`
       *
       * Lists the factors that the customer can use now.
       */
      list(query: { customerId: string }, options?: CallOptions): Promise<T.ScaFactorList>;
      reset: {
        /**
         * Complete a reset whose liveness check has passed: the factor is removed, or the phone number replaced. `POST /sca/factors/reset/{resetId}/complete`
         *
         * Removes the factor, or replaces the phone number, once the liveness check has passed.
         */
        complete(resetId: string, query: { customerId: string }, body?: T.TwoFactorResetCompleteRequest, options?: CallOptions): Promise<void>;
        /**
         * Start the reset of a lost factor, at most 5 times in 24 hours. `POST /sca/factors/reset`
         *
         * Starts the reset of a lost factor with a liveness check of the end user. At most five resets may be started in 24 hours.
         */
        create(query: { customerId: string }, body: T.TwoFactorResetStartRequest, options?: CallOptions): Promise<T.TwoFactorResetStart>;
        /**
         * Get the state of a reset. `GET /sca/factors/reset/{resetId}`
         *
         * Returns how far the reset has come.
         */
        get(resetId: string, query: { customerId: string }, options?: CallOptions): Promise<T.TwoFactorResetStatus>;
      };
    };
    login: {
      /**
       * Complete the login, which opens a session of 180 days; failed logins lock the customer. `POST /sca/login/complete`
       *
       * Opens a session of 180 days. Without it no card details are shown, and no money leaves a balance in EUR or USDC. Each payment from such a balance is authorized as well, unless its beneficiary is trusted. Failed logins lock the customer for a while, and from the ninth on until a password reset is reported.
       */
      complete(query: { customerId: string }, body: T.ScaLoginCompleteRequest, options?: CallOptions): Promise<T.ScaLoginComplete>;
      /**
       * Start a login with one factor, which replaces an open login. `POST /sca/login/start`
       *
       * Sends a code, or makes the options of a passkey. In the sandbox the code is `123456`.
       */
      start(query: { customerId: string }, body: T.ScaLoginStartRequest, options?: CallOptions): Promise<T.ScaLoginStart>;
    };
    /**
     * Report a failed login or a completed password reset of the platform's own login. `POST /sca/record-event`
     *
     * Tells the service about failed logins to your own app, which count together with those here, or about a password reset, which ends a lock.
     */
    recordEvent(query: { customerId: string }, body: T.RecordSecurityEventRequest, options?: CallOptions): Promise<T.RecordSecurityEventResponse>;
  };
  search: {
    /**
     * Find customers by name, email address or platform id, and any object by its id. `GET /search`
     *
     * A text finds the customers whose name, last word of the name, email address or platform id begins with it, in any case. An id, with its type or the uuid alone, finds the object that has it; the `X-Request-Id` of an answer finds the request in the log.
     */
    list(query: { q: string; limit?: number }, options?: CallOptions): Pages<T.SearchResponse>;
  };
  signedRequests: {
    /**
     * Get a call that waits for a signature. `GET /signed-requests/{id}`
     *
     * With what is to be signed, the key that must sign it, and whether it was used. The signature itself is never shown.
     */
    get(id: string, options?: CallOptions): Promise<T.SignedRequest>;
    /**
     * List the calls that wait for a signature, newest first. `GET /signed-requests`
     *
     * Every call that was answered with a challenge, with what is to be signed and until when. Signatures are never shown. Used and expired requests are kept for a while after they end.
     */
    list(query?: { status?: "OPEN" | "USED" | "EXPIRED"; limit?: number; cursor?: string }, options?: CallOptions): Pages<T.SignedRequestListResponse>;
  };
  stablecoinOperations: {
    /**
     * Get a mint or burn. `GET /stablecoin-operations/{stablecoinOperationId}`
     *
     * `COMPLETED`, `FAILED` and `EXPIRED` are final. `CREATED` is seen only while the answer of the provider is missing.
     */
    get(stablecoinOperationId: string, options?: CallOptions): Promise<T.StablecoinOperation>;
  };
  stablecoinProviderAccounts: {
    /**
     * Get a linked provider account. `GET /stablecoin-provider-accounts/{stablecoinProviderAccountId}`
     *
     * `INVALID`: the provider rejected the stored credentials. Link the account again with new ones.
     */
    get(stablecoinProviderAccountId: string, options?: CallOptions): Promise<T.StablecoinProviderAccount>;
    /**
     * Link your account at the stablecoin issuer. `POST /stablecoin-provider-accounts`
     *
     * The provider verifies the credentials first. They are stored encrypted and shown in no answer. Linking a revoked or invalid account again makes it active under the same id; linking an active one is a conflict.
     */
    link(body: T.StablecoinProviderAccountLinkRequest, options?: KeyOptions): Promise<T.StablecoinProviderAccount>;
    /**
     * List linked provider accounts, the newest first. `GET /stablecoin-provider-accounts`
     *
     * Revoked links stay in the list.
     */
    list(query?: { provider?: T.StablecoinProvider; status?: T.StablecoinProviderAccountStatus; limit?: number; cursor?: string }, options?: CallOptions): Pages<T.StablecoinProviderAccountListResponse>;
    /**
     * Revoke a linked provider account. `DELETE /stablecoin-provider-accounts/{stablecoinProviderAccountId}`
     *
     * New orders with the account are refused. Open ones run to their end, and the credentials are destroyed with the last of them. Revoking again changes nothing.
     */
    revoke(stablecoinProviderAccountId: string, options?: CallOptions): Promise<void>;
  };
  stablecoins: {
    /**
     * Burn tokens for dollars. `POST /stablecoins/{stablecoinId}/burns`
     *
     * The tokens are sent to the address of the `fundingInstructions` or taken from the balance at the provider. The dollars go to a bank account, or to a USD account in the service as an incoming transaction. No events are sent about the operation itself: read it until it has ended.
     */
    burn(stablecoinId: string, body: T.StablecoinBurnRequest, options?: KeyOptions): Promise<T.StablecoinOperation>;
    /**
     * Get a stablecoin. `GET /stablecoins/{stablecoinId}`
     *
     * It can be minted and burned once its `issuanceStatus` is `PROVISIONED`.
     */
    get(stablecoinId: string, options?: CallOptions): Promise<T.Stablecoin>;
    /**
     * List stablecoins, the newest first. `GET /stablecoins`
     *
     * All filters that are given must match.
     */
    list(query?: { issuanceStatus?: T.StablecoinIssuanceStatus; gridOperationsStatus?: T.StablecoinGridOperationsStatus; provider?: T.StablecoinProvider; limit?: number; cursor?: string }, options?: CallOptions): Pages<T.StablecoinListResponse>;
    /**
     * Mint tokens. `POST /stablecoins/{stablecoinId}/mints`
     *
     * Orders tokens for dollars that are wired or debited. A wire answers with `fundingInstructions` and must arrive before `expiresAt`. No events are sent: read the operation until it has ended. If the provider cannot be reached, the answer is 503 and nothing was ordered.
     */
    mint(stablecoinId: string, body: T.StablecoinMintRequest, options?: KeyOptions): Promise<T.StablecoinOperation>;
    operations: {
      /**
       * List mints and burns of a stablecoin, the newest first. `GET /stablecoins/{stablecoinId}/operations`
       *
       * Operations that have ended stay in the list.
       */
      list(stablecoinId: string, query?: { operationType?: T.StablecoinOperationType; limit?: number; cursor?: string }, options?: CallOptions): Pages<T.StablecoinOperationListResponse>;
    };
    /**
     * Register a token that exists at the issuer. `POST /stablecoins`
     *
     * No token is created: the provider is asked for it and says its name, symbol, decimals and how far its issuance is. Token and symbol are registered once on a platform.
     */
    register(body: T.StablecoinRegisterRequest, options?: KeyOptions): Promise<T.Stablecoin>;
    /**
     * Request that the service handles the stablecoin as a currency. `POST /stablecoins/{stablecoinId}/request-grid-enablement`
     *
     * The request waits for approval; repeating it meanwhile changes nothing. The sandbox approves within two minutes of its clock. Minting and burning do not need it.
     */
    requestGridEnablement(stablecoinId: string, options?: CallOptions): Promise<T.Stablecoin>;
  };
  timeline: {
    /**
     * List everything that happened to an object, newest first. `GET /timeline`
     *
     * Requests that name the object, signatures asked for, proofs, changes, ledger entries and events with their attempts to deliver, in one order by the real time. An event and a change name their cause, so that one can go from a request to what it did and back. An object that does not exist has an empty timeline.
     */
    list(query: { objectId: string; limit?: number; cursor?: string }, options?: CallOptions): Pages<T.TimelineResponse>;
  };
  tokens: {
    /**
     * Create an API token with permissions that the caller holds; its secret is shown once, and never to a repeat of the request. `POST /tokens`
     *
     * The answer is the only one that holds `clientSecret`. A token can be given only permissions that the caller has. A repeat with the same `Idempotency-Key` is refused, because the secret is not stored.
     */
    create(body: T.ApiTokenCreateRequest, options?: KeyOptions): Promise<T.ApiToken>;
    /**
     * Delete an API token. `DELETE /tokens/{tokenId}`
     *
     * Requests with the token are refused from now on, and its open event streams are closed within two seconds.
     */
    delete(tokenId: string, options?: CallOptions): Promise<void>;
    /**
     * Get an API token. `GET /tokens/{tokenId}`
     *
     * Returns a token, without its secret.
     */
    get(tokenId: string, options?: CallOptions): Promise<T.ApiToken>;
    /**
     * List API tokens. `GET /tokens`
     *
     * Lists the API tokens of the platform, without their secrets.
     */
    list(query?: { name?: string; createdAfter?: string; createdBefore?: string; updatedAfter?: string; updatedBefore?: string; limit?: number; cursor?: string }, options?: CallOptions): Pages<T.TokenListResponse>;
  };
  transactions: {
    /**
     * Approve an incoming payment. `POST /transactions/{transactionId}/approve`
     *
     * Takes an incoming payment that waits for the decision of the platform. The first decision counts, whether it comes from this call, from the answer to the webhook or from `reject`. A mandatory field of the receiver that is missing leaves the payment waiting. For the transaction of an agent whose action waits it approves that action.
     */
    approve(transactionId: string, body?: T.ApprovePaymentRequest, options?: CallOptions): Promise<T.TransactionOneOf>;
    /**
     * Cancel a bank transfer. `POST /transactions/{transactionId}/cancel`
     *
     * Stops a transfer over ACH, ACH_SAME_DAY or WIRE that has not settled. A payout keeps its status until the refund is paid and then ends COMPLETED with `refund.reason` USER_CANCELLATION; a debit ends FAILED and credits nothing.
     */
    cancel(transactionId: string, body?: T.CancelTransactionRequest, options?: CallOptions): Promise<T.TransactionOneOf>;
    /**
     * Confirm that the receipt was delivered. `POST /transactions/{transactionId}/confirm`
     *
     * Stores when the receipt of a completed payment reached its receiver. A further call replaces the time.
     */
    confirm(transactionId: string, body?: T.ConfirmReceiptDeliveryRequest, options?: CallOptions): Promise<T.TransactionOneOf>;
    /**
     * Get a transaction. `GET /transactions/{transactionId}`
     *
     * Answers a payment or a card transaction by its id.
     */
    get(transactionId: string, options?: CallOptions): Promise<T.TransactionOneOf>;
    /**
     * List transactions. `GET /transactions`
     *
     * Lists payments and card transactions in one order, newest first unless `sortOrder` says otherwise. All filters combine. `status` leaves card transactions out.
     */
    list(query?: { customerId?: string; platformCustomerId?: string; accountIdentifier?: string; senderAccountIdentifier?: string; receiverAccountIdentifier?: string; status?: T.TransactionStatus; type?: "INCOMING" | "OUTGOING" | "CARD"; cardId?: string; reference?: string; startDate?: string; endDate?: string; limit?: number; cursor?: string; sortOrder?: "asc" | "desc" }, options?: CallOptions): Pages<T.TransactionListResponse>;
    /**
     * Reject an incoming payment. `POST /transactions/{transactionId}/reject`
     *
     * Refuses an incoming payment that waits for the decision of the platform. No money moves, and the sender is told. For the transaction of an agent whose action waits it rejects that action.
     */
    reject(transactionId: string, body?: T.RejectPaymentRequest, options?: CallOptions): Promise<T.TransactionOneOf>;
  };
  verifications: {
    /**
     * Submit a customer for verification, or submit it again; the answer lists everything that is missing. `POST /verifications`
     *
     * Checks the customer's data and documents and submits them if they are complete. If not, `errors` lists everything that is missing at once, and nothing is submitted. Submit again after the customer has given it.
     */
    create(body: T.VerificationRequest, options?: CallOptions): Promise<T.Verification>;
    /**
     * Get a verification. `GET /verifications/{verificationId}`
     *
     * Returns a verification with its current state and problems.
     */
    get(verificationId: string, options?: CallOptions): Promise<T.Verification>;
    /**
     * List verifications. `GET /verifications`
     *
     * Lists verifications, newest first.
     */
    list(query?: { customerId?: string; verificationStatus?: T.VerificationStatus; limit?: number; cursor?: string }, options?: CallOptions): Pages<T.VerificationListResponse>;
  };
  webhooks: {
    events: {
      /**
       * Get an event with every attempt to deliver it. `GET /webhooks/events/{id}`
       *
       * Returns an event with every attempt: headers, status, beginning of the answer and duration.
       */
      get(id: string, options?: CallOptions): Promise<T.WebhookEvent>;
      /**
       * List events, newest first, with their latest attempts. `GET /webhooks/events`
       *
       * Lists events with the last three attempts of each. Events are recorded also while no endpoint is set.
       */
      list(query?: { limit?: number; cursor?: string; type?: "AGENT_ACTION.PENDING_APPROVAL" | "INCOMING_PAYMENT.PENDING" | "INCOMING_PAYMENT.PROCESSING" | "INCOMING_PAYMENT.COMPLETED" | "INCOMING_PAYMENT.FAILED" | "INCOMING_PAYMENT.REFUND_PENDING" | "INCOMING_PAYMENT.REFUND_COMPLETED" | "INCOMING_PAYMENT.REFUND_FAILED" | "OUTGOING_PAYMENT.PENDING" | "OUTGOING_PAYMENT.PENDING_AUTHORIZATION" | "OUTGOING_PAYMENT.PROCESSING" | "OUTGOING_PAYMENT.COMPLETED" | "OUTGOING_PAYMENT.FAILED" | "OUTGOING_PAYMENT.EXPIRED" | "OUTGOING_PAYMENT.REFUND_PENDING" | "OUTGOING_PAYMENT.REFUND_COMPLETED" | "OUTGOING_PAYMENT.REFUND_FAILED" | "TEST" | "BULK_UPLOAD.COMPLETED" | "BULK_UPLOAD.FAILED" | "INVITATION.CLAIMED" | "CUSTOMER.KYC_APPROVED" | "CUSTOMER.KYC_REJECTED" | "CUSTOMER.KYC_PENDING" | "CUSTOMER.KYB_APPROVED" | "CUSTOMER.KYB_REJECTED" | "CUSTOMER.KYB_PENDING" | "INTERNAL_ACCOUNT.BALANCE_UPDATED" | "INTERNAL_ACCOUNT.STATUS_UPDATED" | "INTERNAL_ACCOUNT.FUNDING_INSTRUCTIONS_UPDATED" | "EXTERNAL_ACCOUNT.STATUS_UPDATED" | "VERIFICATION.APPROVED" | "VERIFICATION.REJECTED" | "VERIFICATION.RESOLVE_ERRORS" | "VERIFICATION.IN_PROGRESS" | "VERIFICATION.PENDING_MANUAL_REVIEW" | "VERIFICATION.READY_FOR_VERIFICATION" | "card.status_change" | "CARD.PIN_STATUS_CHANGE" | "CARD_TRANSACTION.AUTHORIZED" | "CARD_TRANSACTION.PARTIALLY_SETTLED" | "CARD_TRANSACTION.SETTLED" | "CARD_TRANSACTION.DECLINED" | "CARD_TRANSACTION.VOIDED" | "CARD_TRANSACTION.EXCEPTION" | "WALLET_OPERATION.COMPLETED" | "WALLET_OPERATION.FAILED"; objectId?: string; deliveryStatus?: "PENDING" | "DELIVERED" | "FAILED"; createdAfter?: string; createdBefore?: string }, options?: CallOptions): Pages<T.WebhookEventListResponse>;
      /**
       * Send an event again. `POST /webhooks/events/{id}/resend`
       *
       * Sends an event again, at once and then by the usual schedule. A delivered event can be sent again too.
       */
      resend(id: string, options?: CallOptions): Promise<T.WebhookEvent>;
      /**
       * Stream events as they happen, as server-sent events. `GET /webhooks/stream`
       *
       * Sends each event as a server-sent event whose `data` is one `Event`, and whose id continues the stream after it. A platform can have 32 streams per process. No event is left out.
       */
      stream(query?: { lastEventId?: string; since?: string }, options?: StreamOptions): AsyncIterable<T.Event>;
    };
    /**
     * Send again every event since a moment. `POST /webhooks/replay`
     *
     * Queues every event since a time, oldest first. Use it after an outage of your receiver.
     */
    replay(body: T.WebhookReplayRequest, options?: CallOptions): Promise<T.WebhookReplayResponse>;
    signingKeys: {
      /**
       * List the public keys that verify webhooks. `GET /webhooks/signing-keys`
       *
       * Lists the public keys. During a rotation there are two, and both sign.
       */
      list(options?: CallOptions): Pages<T.WebhookSigningKeyListResponse>;
      /**
       * Replace the signing keys; both generations sign during the overlap. `POST /webhooks/signing-keys/rotate`
       *
       * Makes new keys. The old ones keep signing for the overlap, so that receivers can change in peace.
       */
      rotate(body?: T.WebhookKeyRotationRequest, options?: CallOptions): Pages<T.WebhookSigningKeyListResponse>;
    };
    signingSecrets: {
      /**
       * List the shared secrets, for libraries that verify `v1` signatures only. `GET /webhooks/signing-secrets`
       *
       * Lists the shared secrets for libraries that verify with a secret. Public keys are safer.
       */
      list(options?: CallOptions): Pages<T.WebhookSigningSecretListResponse>;
    };
    /**
     * Send a TEST event to the webhook endpoint and see its answer. `POST /webhooks/test`
     *
     * Sends a `TEST` event once and returns what your endpoint answered.
     */
    test(options?: CallOptions): Promise<T.TestWebhookResponse>;
  };
};

/** Name, method, path, and what it takes: q query, b body, m multipart, k idempotency key, s signed retries, l list, e event stream. */
export const TABLE: readonly string[] = [
  'agents.actions.approve POST /agents/{agentId}/actions/{actionId}/approve',
  'agents.actions.reject POST /agents/{agentId}/actions/{actionId}/reject b',
  'agents.approvals.list GET /agents/approvals ql',
  'agents.create POST /agents bk',
  'agents.delete DELETE /agents/{agentId}',
  'agents.deviceCodes.create POST /agents/{agentId}/device-codes k',
  'agents.deviceCodes.redeem POST /agents/device-codes/{code}/redeem',
  'agents.deviceCodes.status GET /agents/device-codes/{code}/status',
  'agents.get GET /agents/{agentId}',
  'agents.list GET /agents ql',
  'agents.me.actions.get GET /agents/me/actions/{actionId}',
  'agents.me.actions.list GET /agents/me/actions ql',
  'agents.me.externalAccounts.create POST /agents/me/external-accounts b',
  'agents.me.externalAccounts.delete DELETE /agents/me/external-accounts/{externalAccountId}',
  'agents.me.externalAccounts.get GET /agents/me/external-accounts/{externalAccountId}',
  'agents.me.externalAccounts.list GET /agents/me/external-accounts ql',
  'agents.me.get GET /agents/me',
  'agents.me.internalAccounts.list GET /agents/me/internal-accounts ql',
  'agents.me.quotes.create POST /agents/me/quotes bk',
  'agents.me.quotes.execute POST /agents/me/quotes/{quoteId}/execute k',
  'agents.me.quotes.get GET /agents/me/quotes/{quoteId}',
  'agents.me.transactions.get GET /agents/me/transactions/{transactionId}',
  'agents.me.transactions.list GET /agents/me/transactions ql',
  'agents.policy.update PATCH /agents/{agentId}/policy b',
  'agents.update PATCH /agents/{agentId} b',
  'auth.credentials.challenge POST /auth/credentials/{id}/challenge b',
  'auth.credentials.create POST /auth/credentials bs',
  'auth.credentials.delete DELETE /auth/credentials/{id} s',
  'auth.credentials.list GET /auth/credentials ql',
  'auth.credentials.verify POST /auth/credentials/{id}/verify bs',
  'auth.delegatedKeys.create POST /auth/delegated-keys bs',
  'auth.delegatedKeys.delete DELETE /auth/delegated-keys/{id}',
  'auth.delegatedKeys.get GET /auth/delegated-keys/{id}',
  'auth.delegatedKeys.list GET /auth/delegated-keys ql',
  'auth.sessions.delete DELETE /auth/sessions/{id} s',
  'auth.sessions.list GET /auth/sessions ql',
  'auth.sessions.refresh POST /auth/sessions/{id}/refresh bs',
  'beneficialOwners.create POST /beneficial-owners bk',
  'beneficialOwners.delete DELETE /beneficial-owners/{beneficialOwnerId}',
  'beneficialOwners.get GET /beneficial-owners/{beneficialOwnerId}',
  'beneficialOwners.list GET /beneficial-owners ql',
  'beneficialOwners.update PATCH /beneficial-owners/{beneficialOwnerId} b',
  'cards.create POST /cards bk',
  'cards.get GET /cards/{id}',
  'cards.list GET /cards ql',
  'cards.pin.unblock POST /cards/{id}/pin/unblock',
  'cards.pinEntryUrl.get GET /cards/{id}/pin-entry-url',
  'cards.reveal POST /cards/{id}/reveal b',
  'cards.setPin POST /cards/{id}/set-pin b',
  'cards.spending.get GET /cards/{id}/spending',
  'cards.tokenize POST /cards/{id}/tokenize b',
  'cards.update PATCH /cards/{id} b',
  'config.get GET /config',
  'config.update PATCH /config b',
  'crypto.estimateWithdrawalFee POST /crypto/estimate-withdrawal-fee b',
  'customers.agreements.list GET /customers/agreements l',
  'customers.bulk.jobs.get GET /customers/bulk/jobs/{jobId}',
  'customers.bulk.upload POST /customers/bulk/csv mk',
  'customers.confirmEmail POST /customers/{customerId}/verify-email/confirm b',
  'customers.confirmPhone POST /customers/{customerId}/verify-phone/confirm b',
  'customers.create POST /customers bk',
  'customers.delete DELETE /customers/{customerId}',
  'customers.externalAccounts.challenge POST /customers/external-accounts/{externalAccountId}/challenge bk',
  'customers.externalAccounts.confirmTrust POST /customers/external-accounts/{externalAccountId}/trust/confirm b',
  'customers.externalAccounts.confirmUntrust POST /customers/external-accounts/{externalAccountId}/untrust/confirm b',
  'customers.externalAccounts.create POST /customers/external-accounts bk',
  'customers.externalAccounts.delete DELETE /customers/external-accounts/{externalAccountId}',
  'customers.externalAccounts.get GET /customers/external-accounts/{externalAccountId}',
  'customers.externalAccounts.list GET /customers/external-accounts ql',
  'customers.externalAccounts.trust POST /customers/external-accounts/{externalAccountId}/trust',
  'customers.externalAccounts.untrust POST /customers/external-accounts/{externalAccountId}/untrust',
  'customers.externalAccounts.verify POST /customers/external-accounts/{externalAccountId}/verify bk',
  'customers.get GET /customers/{customerId}',
  'customers.internalAccounts.list GET /customers/internal-accounts ql',
  'customers.kycLink POST /customers/{customerId}/kyc-link bk',
  'customers.list GET /customers ql',
  'customers.sendEmailCode POST /customers/{customerId}/verify-email',
  'customers.sendPhoneCode POST /customers/{customerId}/verify-phone',
  'customers.update PATCH /customers/{customerId} bs',
  'discoveries.list GET /discoveries ql',
  'documents.delete DELETE /documents/{documentId}',
  'documents.download POST /documents/{documentId}/download',
  'documents.get GET /documents/{documentId}',
  'documents.list GET /documents ql',
  'documents.replace PUT /documents/{documentId} m',
  'documents.upload POST /documents mk',
  'exchangeRates.list GET /exchange-rates ql',
  'externalAccounts.ownershipProofs.list GET /external-accounts/{externalAccountId}/ownership-proofs ql',
  'internalAccounts.balanceChanges.list GET /internal-accounts/{id}/balance-changes ql',
  'internalAccounts.confirmStatement POST /internal-accounts/{id}/confirm-statement b',
  'internalAccounts.create POST /internal-accounts bk',
  'internalAccounts.export POST /internal-accounts/{id}/export bs',
  'internalAccounts.get GET /internal-accounts/{id}',
  'internalAccounts.statement.get GET /internal-accounts/{id}/statement q',
  'internalAccounts.update PATCH /internal-accounts/{id} bs',
  'invitations.cancel POST /invitations/{invitationCode}/cancel',
  'invitations.claim POST /invitations/{invitationCode}/claim b',
  'invitations.create POST /invitations b',
  'invitations.get GET /invitations/{invitationCode}',
  'issuer.authorizations.create POST /issuer/authorizations b',
  'issuer.messages.create POST /issuer/messages bk',
  'kyc.get GET /kyc/{token}',
  'kyc.submit POST /kyc/{token} m',
  'paymentDocuments.create POST /payment-documents m',
  'paymentDocuments.get GET /payment-documents/{paymentDocumentId}',
  'platform.externalAccounts.challenge POST /platform/external-accounts/{externalAccountId}/challenge bk',
  'platform.externalAccounts.create POST /platform/external-accounts bk',
  'platform.externalAccounts.delete DELETE /platform/external-accounts/{externalAccountId}',
  'platform.externalAccounts.get GET /platform/external-accounts/{externalAccountId}',
  'platform.externalAccounts.list GET /platform/external-accounts ql',
  'platform.externalAccounts.verify POST /platform/external-accounts/{externalAccountId}/verify bk',
  'platform.internalAccounts.list GET /platform/internal-accounts ql',
  'platform.positions.list GET /platform/positions l',
  'quotes.authorize POST /quotes/{quoteId}/authorize b',
  'quotes.create POST /quotes bk',
  'quotes.execute POST /quotes/{quoteId}/execute bk',
  'quotes.get GET /quotes/{quoteId}',
  'quotes.resendCode POST /quotes/{quoteId}/authorize/resend',
  'receiver.externalAccount.get GET /receiver/external-account/{accountId} q',
  'receiver.uma.get GET /receiver/uma/{receiverUmaAddress} q',
  'requests.get GET /requests/{id}',
  'requests.list GET /requests ql',
  'requests.stream GET /requests/stream qe',
  'sandbox.cardPages.details.get GET /sandbox/card-pages/details q',
  'sandbox.cardPages.pin.get GET /sandbox/card-pages/pin q',
  'sandbox.cardPages.pin.submit POST /sandbox/card-pages/pin b',
  'sandbox.cardProgram.set PUT /sandbox/card-program b',
  'sandbox.cardPrograms.list GET /sandbox/card-programs l',
  'sandbox.cards.simulate.authorization POST /sandbox/cards/{id}/simulate/authorization bk',
  'sandbox.cards.simulate.authorizationAdvice POST /sandbox/cards/{id}/simulate/authorization_advice bk',
  'sandbox.cards.simulate.authorizationExpiry POST /sandbox/cards/{id}/simulate/authorization_expiry bk',
  'sandbox.cards.simulate.authorizationReversal POST /sandbox/cards/{id}/simulate/authorization_reversal bk',
  'sandbox.cards.simulate.balanceInquiry POST /sandbox/cards/{id}/simulate/balance_inquiry bk',
  'sandbox.cards.simulate.clearing POST /sandbox/cards/{id}/simulate/clearing bk',
  'sandbox.cards.simulate.creditAuthorization POST /sandbox/cards/{id}/simulate/credit_authorization bk',
  'sandbox.cards.simulate.creditAuthorizationAdvice POST /sandbox/cards/{id}/simulate/credit_authorization_advice bk',
  'sandbox.cards.simulate.disputeClose POST /sandbox/cards/{id}/simulate/dispute_close bk',
  'sandbox.cards.simulate.disputeOpen POST /sandbox/cards/{id}/simulate/dispute_open bk',
  'sandbox.cards.simulate.disputeProvisionalCredit POST /sandbox/cards/{id}/simulate/dispute_provisional_credit bk',
  'sandbox.cards.simulate.disputeProvisionalCreditReversal POST /sandbox/cards/{id}/simulate/dispute_provisional_credit_reversal bk',
  'sandbox.cards.simulate.financialAuthorization POST /sandbox/cards/{id}/simulate/financial_authorization bk',
  'sandbox.cards.simulate.financialCreditAuthorization POST /sandbox/cards/{id}/simulate/financial_credit_authorization bk',
  'sandbox.cards.simulate.pinBlocked POST /sandbox/cards/{id}/simulate/pin_blocked',
  'sandbox.cards.simulate.return POST /sandbox/cards/{id}/simulate/return bk',
  'sandbox.cards.simulate.returnReversal POST /sandbox/cards/{id}/simulate/return_reversal bk',
  'sandbox.clock.get GET /sandbox/clock',
  'sandbox.clock.set PUT /sandbox/clock b',
  'sandbox.customers.verificationStatus.set PUT /sandbox/customers/{customerId}/verification-status b',
  'sandbox.exchangeRates.set PUT /sandbox/exchange-rates b',
  'sandbox.externalAccounts.liveness POST /sandbox/external-accounts/{externalAccountId}/liveness b',
  'sandbox.faults.delete DELETE /sandbox/faults',
  'sandbox.faults.list GET /sandbox/faults l',
  'sandbox.faults.set PUT /sandbox/faults bl',
  'sandbox.fixtures.apply POST /sandbox/fixtures b',
  'sandbox.internalAccounts.fund POST /sandbox/internal-accounts/{accountId}/fund bk',
  'sandbox.issuerCredentials.create POST /sandbox/issuer-credentials b',
  'sandbox.issuerCredentials.delete DELETE /sandbox/issuer-credentials/{id}',
  'sandbox.issuerCredentials.list GET /sandbox/issuer-credentials l',
  'sandbox.messages.list GET /sandbox/messages ql',
  'sandbox.oidc.keys GET /sandbox/oidc/jwks.json',
  'sandbox.oidc.tokens.create POST /sandbox/oidc/tokens b',
  'sandbox.reset.create POST /sandbox/reset b',
  'sandbox.sca.factors.reset.liveness POST /sandbox/sca/factors/reset/{resetId}/liveness b',
  'sandbox.sca.liveness.get GET /sandbox/sca/liveness q',
  'sandbox.sca.liveness.submit POST /sandbox/sca/liveness b',
  'sandbox.send.create POST /sandbox/send b',
  'sandbox.snapshots.create POST /sandbox/snapshots b',
  'sandbox.snapshots.delete DELETE /sandbox/snapshots/{name}',
  'sandbox.snapshots.export POST /sandbox/snapshots/{name}/export b',
  'sandbox.snapshots.import POST /sandbox/snapshots/import m',
  'sandbox.snapshots.list GET /sandbox/snapshots l',
  'sandbox.snapshots.restore POST /sandbox/snapshots/{name}/restore',
  'sandbox.transactions.railEvent POST /sandbox/transactions/{transactionId}/rail-event b',
  'sandbox.uma.receive.create POST /sandbox/uma/receive b',
  'sandbox.verifications.decide POST /sandbox/verifications/{verificationId}/decision b',
  'sca.factors.confirm POST /sca/factors/confirm qb',
  'sca.factors.create POST /sca/factors qb',
  'sca.factors.delete DELETE /sca/factors/{credentialId} q',
  'sca.factors.list GET /sca/factors q',
  'sca.factors.reset.complete POST /sca/factors/reset/{resetId}/complete qb',
  'sca.factors.reset.create POST /sca/factors/reset qb',
  'sca.factors.reset.get GET /sca/factors/reset/{resetId} q',
  'sca.login.complete POST /sca/login/complete qb',
  'sca.login.start POST /sca/login/start qb',
  'sca.recordEvent POST /sca/record-event qb',
  'search.list GET /search ql',
  'signedRequests.get GET /signed-requests/{id}',
  'signedRequests.list GET /signed-requests ql',
  'stablecoinOperations.get GET /stablecoin-operations/{stablecoinOperationId}',
  'stablecoinProviderAccounts.get GET /stablecoin-provider-accounts/{stablecoinProviderAccountId}',
  'stablecoinProviderAccounts.link POST /stablecoin-provider-accounts bk',
  'stablecoinProviderAccounts.list GET /stablecoin-provider-accounts ql',
  'stablecoinProviderAccounts.revoke DELETE /stablecoin-provider-accounts/{stablecoinProviderAccountId}',
  'stablecoins.burn POST /stablecoins/{stablecoinId}/burns bk',
  'stablecoins.get GET /stablecoins/{stablecoinId}',
  'stablecoins.list GET /stablecoins ql',
  'stablecoins.mint POST /stablecoins/{stablecoinId}/mints bk',
  'stablecoins.operations.list GET /stablecoins/{stablecoinId}/operations ql',
  'stablecoins.register POST /stablecoins bk',
  'stablecoins.requestGridEnablement POST /stablecoins/{stablecoinId}/request-grid-enablement',
  'timeline.list GET /timeline ql',
  'tokens.create POST /tokens bk',
  'tokens.delete DELETE /tokens/{tokenId}',
  'tokens.get GET /tokens/{tokenId}',
  'tokens.list GET /tokens ql',
  'transactions.approve POST /transactions/{transactionId}/approve b',
  'transactions.cancel POST /transactions/{transactionId}/cancel b',
  'transactions.confirm POST /transactions/{transactionId}/confirm b',
  'transactions.get GET /transactions/{transactionId}',
  'transactions.list GET /transactions ql',
  'transactions.reject POST /transactions/{transactionId}/reject b',
  'verifications.create POST /verifications b',
  'verifications.get GET /verifications/{verificationId}',
  'verifications.list GET /verifications ql',
  'webhooks.events.get GET /webhooks/events/{id}',
  'webhooks.events.list GET /webhooks/events ql',
  'webhooks.events.resend POST /webhooks/events/{id}/resend',
  'webhooks.events.stream GET /webhooks/stream qe',
  'webhooks.replay POST /webhooks/replay b',
  'webhooks.signingKeys.list GET /webhooks/signing-keys l',
  'webhooks.signingKeys.rotate POST /webhooks/signing-keys/rotate bl',
  'webhooks.signingSecrets.list GET /webhooks/signing-secrets l',
  'webhooks.test POST /webhooks/test',
];
