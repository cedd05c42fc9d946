-- What POSTs answered under an Idempotency-Key, kept 24 hours. A row is written by the transaction that
-- did the work, so that a crash leaves both or neither.
create table idempotency_keys (
  organization_id uuid not null references organizations (id) on delete cascade,
  key text not null check (length(key) between 1 and 255),
  fingerprint bytea not null check (length(fingerprint) = 32),
  status smallint,
  answer text,
  lease_until timestamptz(3),
  created_at timestamptz(3) not null default now(),
  primary key (organization_id, key),
  check ((status is null) = (answer is null)),
  check ((status is null) = (lease_until is not null))
);
create index idempotency_keys_age on idempotency_keys (created_at);
comment on column idempotency_keys.fingerprint is 'SHA-256 over method, path, query and the hash of the body';
comment on column idempotency_keys.answer is 'JSON as it was sent, secrets as null; null while work of several transactions is being done';
comment on column idempotency_keys.lease_until is 'who does that work has it until then; afterwards another may take it up';
select protect_tenant_table('idempotency_keys');
