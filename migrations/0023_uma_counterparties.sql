-- UMA payments between installations: notices to other providers, and platforms found by their domain.

-- Notices about payments, sent until they are taken. The id is the one of the payment.
create table uma_notices (
  platform_id uuid not null references platforms,
  id uuid not null,
  url text not null,
  settlement json not null,
  attempts integer not null,
  due_at timestamptz not null,
  primary key (platform_id, id)
);
create index uma_notices_due on uma_notices (platform_id, due_at);

-- Messages of other providers name the platform by its domain, so no two platforms share one. Of those that do, the oldest keeps it.
update platforms p set config = jsonb_set(config, '{umaDomain}', to_jsonb(right(p.id::text, 12) || '.uma.localhost'))
where exists (
  select from platforms o where o.id < p.id and lower(o.config->>'umaDomain') = lower(p.config->>'umaDomain') and o.config->>'umaDomain' <> '');
create unique index platforms_uma_domain on platforms (lower(config->>'umaDomain')) where config->>'umaDomain' <> '';
