-- The steps of fixtures that were applied to a sandbox platform, so that applying a fixture again changes nothing.
create table sandbox_fixture_steps (
  platform_id uuid not null references platforms,
  fixture text not null,
  step text not null,
  -- SHA-256 of the step as it stands in the file. A step that was changed after it was applied is refused.
  content_hash bytea not null,
  -- What the operation answered, for the references of later steps. Sealed, because an answer may hold a secret.
  answer_sealed bytea not null,
  -- The platform's clock.
  applied_at timestamptz not null,
  primary key (platform_id, fixture, step)
);
