-- What a caller shows before its platform is known, and the platform that it belongs to. These are unique among all platforms, which a table
-- that is distributed by platform cannot ensure; this table has a copy on every node. No foreign key: such a table cannot refer to a
-- distributed one.
create table platform_keys (
  kind text not null check (kind in ('API_CLIENT', 'AGENT_TOKEN', 'DEVICE_CODE', 'INVITATION', 'UMA_DOMAIN')),
  -- In hex, where only a hash is kept. A key stays when what it names is gone, except for a domain that its platform has given up.
  key text not null,
  platform_id uuid not null,
  primary key (kind, key)
);

insert into platform_keys (kind, key, platform_id) select 'API_CLIENT', client_id, platform_id from api_tokens;
insert into platform_keys (kind, key, platform_id)
select 'AGENT_TOKEN', encode(token_hash, 'hex'), platform_id from agents where token_hash is not null;
insert into platform_keys (kind, key, platform_id) select 'DEVICE_CODE', encode(code_hash, 'hex'), platform_id from agent_device_codes;
insert into platform_keys (kind, key, platform_id) select 'INVITATION', code, platform_id from invitations;
insert into platform_keys (kind, key, platform_id)
select 'UMA_DOMAIN', lower(config ->> 'umaDomain'), id from platforms where config ->> 'umaDomain' <> '';

-- Every unique index contains the platform.
alter table api_tokens drop constraint api_tokens_client_id_key;
create unique index api_tokens_client_id on api_tokens (client_id, platform_id);
drop index invitations_code;
create unique index invitations_code on invitations (code, platform_id);
drop index agents_token;
create unique index agents_token on agents (token_hash, platform_id) where token_hash is not null;
drop index agent_device_codes_code;
drop index platforms_uma_domain;


-- Platforms whose rows are on one node together, a group in each row. Null stands for all platforms: one server is one group.
-- `npm run distribute` replaces the body.
create function platform_groups() returns setof uuid[] language sql stable as $$ select null::uuid[] $$;
