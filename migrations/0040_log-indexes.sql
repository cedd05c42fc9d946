-- Filters of email logs, each with an index. None has a column that changes before a mail is sent.

drop index messages_recipient;
create index messages_recipient on messages (organization_id, recipient, id)
  where recipient is not null;
create index messages_source on messages (organization_id, source, id) where source <> 'batch';
create index messages_template on messages (organization_id, template_id, id)
  where template_id is not null;
-- Few mails bounce or are clicked, and only those are moved to new places by it.
create index messages_opened on messages (organization_id, id) where opened_at is not null;
create index messages_clicked on messages (organization_id, id) where clicked_at is not null;
create index messages_bounced on messages (organization_id, id) where bounced_at is not null;
create index messages_complained on messages (organization_id, id) where complained_at is not null;
-- A batch is found by what it was, and its rows by its bucket.
create index batches_template on batches (organization_id, template_id, bucket)
  where template_id is not null;
create index batches_bucket on batches (organization_id, bucket) where bucket is not null;
