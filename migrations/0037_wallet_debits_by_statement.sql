-- Money leaves an embedded wallet only with its signer's authorization. The accounts of a statement are looked up together, and its
-- transfers one by one only if a wallet is among the accounts: authorizations on other accounts pay for one look.
create or replace function wallet_debits_are_authorized() returns trigger language plpgsql as $$
declare
  p record;
  t record;
begin
  for p in select platform_id, array_agg(debit_account_id) as accounts from added where amount > 0 group by platform_id loop
    continue when not exists (
      select from unnest(p.accounts) k (id), lateral (
        select i.type from internal_accounts i where i.platform_id = p.platform_id and i.id = k.id limit 1) i
      where i.type = 'EMBEDDED_WALLET');
    for t in select id, debit_account_id, credit_account_id, amount, currency from added
      where amount > 0 and platform_id = p.platform_id loop
      if exists (select from internal_accounts i
          where i.platform_id = p.platform_id and i.id = t.debit_account_id and i.type = 'EMBEDDED_WALLET')
        and not exists (select from wallet_activities a
          where a.platform_id = p.platform_id and a.transfer_id = t.id and a.account_id = t.debit_account_id
            and a.credit_account_id = t.credit_account_id and a.amount = t.amount and a.currency = t.currency)
      then
        raise exception 'a transfer out of an embedded wallet needs the signer' using errcode = 'restrict_violation';
      end if;
    end loop;
  end loop;
  return null;
end $$;
