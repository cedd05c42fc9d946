import type { Sql } from '../../src/store/db/sql.ts'

/**
 * Creates the sandbox's own schema. It plays somebody else's system, so the product's migrations
 * know nothing of it.
 *
 * `mails` has one row per recipient (`position` counts them within one mail). Both of its indexes
 * grow at one end only, which allows tens of thousands of rows a second.
 */
export async function createSchema(sql: Sql): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(hashtext('letterloom provider sandbox'))`
    await tx.unsafe(SCHEMA)
  })
}

const SCHEMA = `
  create schema if not exists sandbox;
  create table if not exists sandbox.accounts (
    account text not null,
    region text not null,
    config jsonb not null,
    primary key (account, region)
  );
  create table if not exists sandbox.credentials (
    access_key_id text primary key,
    secret_access_key text not null,
    session_token text not null,
    account text not null,
    role text not null,
    session_name text not null,
    actions text[],
    expires_at timestamptz not null
  );
  create table if not exists sandbox.suppressions (
    account text not null,
    region text not null,
    address text not null,
    reason text not null,
    created_at timestamptz not null,
    primary key (account, region, address)
  );
  create table if not exists sandbox.contents (
    id uuid primary key,
    body text not null
  );
  create table if not exists sandbox.mails (
    id uuid not null,
    position smallint not null,
    account text not null,
    region text not null,
    accepted_at timestamptz not null,
    sender text not null,
    recipient text not null,
    subject text not null,
    batch text,
    message_tag text,
    outcome text not null,
    html uuid,
    text uuid,
    raw uuid,
    detail text not null,
    primary key (id, position)
  );
  create index if not exists mails_batch on sandbox.mails (batch, account) where batch is not null;
  create index if not exists mails_message_tag on sandbox.mails (message_tag)
    where batch is null and message_tag is not null;
  create table if not exists sandbox.events (
    id uuid primary key,
    mail_id uuid not null,
    position smallint not null,
    account text not null,
    target smallint not null,
    kind text not null,
    link text,
    occurs_at timestamptz not null,
    due_at timestamptz not null,
    arrived_at timestamptz,
    attempts integer not null default 0,
    state text not null default 'pending',
    settled_at timestamptz
  );
  alter table sandbox.events add column if not exists arrived_at timestamptz;
  create index if not exists events_due on sandbox.events (due_at, id) where state = 'pending';
  create index if not exists events_mail on sandbox.events (mail_id);
  create table if not exists sandbox.queue_messages (
    id uuid primary key,
    account text not null,
    region text not null,
    queue text not null,
    body text not null,
    visible_at timestamptz not null default clock_timestamp(),
    receives integer not null default 0,
    receipt uuid
  );
  create index if not exists queue_messages_visible
    on sandbox.queue_messages (account, region, queue, visible_at);
  create table if not exists sandbox.texts (
    id uuid primary key,
    account text not null,
    region text not null,
    accepted_at timestamptz not null,
    sender text not null,
    country text not null,
    destination text not null,
    body text not null,
    message_type text not null,
    context jsonb not null,
    configuration_set text,
    encoding text not null,
    parts integer not null,
    price float8 not null,
    carrier_fee float8 not null,
    report text not null
  );
  create index if not exists texts_accepted on sandbox.texts (account, region, accepted_at);
  create table if not exists sandbox.text_events (
    id uuid primary key,
    text_id uuid not null,
    kind text not null,
    is_final boolean not null,
    occurs_at timestamptz not null,
    due_at timestamptz not null,
    state text not null default 'pending'
  );
  create index if not exists text_events_due on sandbox.text_events (due_at)
    where state = 'pending';
  create table if not exists sandbox.opted_out_numbers (
    account text not null,
    region text not null,
    list text not null,
    phone text not null,
    opted_out_at timestamptz not null,
    primary key (account, region, list, phone)
  );
`
