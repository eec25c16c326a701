-- Rows that transactions lock for something that has no row of its own, such as a contact or the clock of a platform. Advisory locks
-- would do on one server; a distributed database has none that all its nodes share. No foreign key: it would lock the row of the platform.
create table named_locks (
  platform_id uuid not null,
  slot integer not null,
  primary key (platform_id, slot)
);
