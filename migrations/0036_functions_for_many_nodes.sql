-- Functions with one body for one server and for a database that Citus distributes by platform.

-- As before. A trigger on a node cannot join the rows of a statement with other tables, so it looks at them one by one.
create or replace function wallet_debits_are_authorized() returns trigger language plpgsql as $$
declare
  t record;
begin
  for t in select platform_id, id, debit_account_id, credit_account_id, amount, currency from added where amount > 0 loop
    if exists (select from internal_accounts i
        where i.platform_id = t.platform_id and i.id = t.debit_account_id and i.type = 'EMBEDDED_WALLET')
      and not exists (select from wallet_activities a
        where a.platform_id = t.platform_id and a.transfer_id = t.id and a.account_id = t.debit_account_id
          and a.credit_account_id = t.credit_account_id and a.amount = t.amount and a.currency = t.currency)
    then
      raise exception 'a transfer out of an embedded wallet needs the signer' using errcode = 'restrict_violation';
    end if;
  end loop;
  return null;
end $$;

-- Platforms whose rows are on one node together, and the node. One server is one group, for all platforms: both are null.
-- On a cluster a group is what one part of the tables holds. `from_keys` reads the platforms from the copy of their keys that the
-- coordinator has, for when a node is down; a platform that never had a key is not among them, and nobody can call it.
-- A statement of a function is planned when it is first run, so one server need not have the catalogue of Citus.
drop function platform_groups();
create function platform_groups(from_keys boolean) returns table (node text, ids uuid[]) language plpgsql stable as $$
declare
  is_distributed boolean := false;
  platform_ids uuid[];
begin
  if to_regclass('pg_catalog.pg_dist_partition') is not null then
    is_distributed := exists (select from pg_dist_partition where logicalrelid = 'platforms'::regclass);
  end if;
  if not is_distributed then
    return query select null::text, null::uuid[];
    return;
  end if;
  if from_keys then
    select coalesce(array_agg(distinct platform_id), '{}') into platform_ids from platform_keys;
  else
    select coalesce(array_agg(id), '{}') into platform_ids from platforms;
  end if;
  return query
    select max(format('%s:%s', n.nodename, n.nodeport)), array_agg(p.id order by p.id)
    from (select id, get_shard_id_for_distribution_column('platforms', id) as part from unnest(platform_ids) as u (id)) p
    join pg_dist_placement l on l.shardid = p.part
    join pg_dist_node n on n.groupid = l.groupid and n.noderole = 'primary'
    group by p.part;
end $$;
