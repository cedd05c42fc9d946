-- Until when an account's 24-hour quota keeps a batch waiting, for whoever asks why it stands still.

alter table batches add column quota_awaited_until timestamptz(3);
comment on column batches.quota_awaited_until is
  'set when the quota of its account was used up: when sending is tried again';
