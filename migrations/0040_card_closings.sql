-- A card that the service has closed is due as well, until its issuer has been told.
alter table cards drop constraint cards_processing_has_due;
alter table cards add constraint cards_processing_has_due
  check ((provisioning_due_at is not null) = (status = 'PROCESSING') or status = 'CLOSED');
