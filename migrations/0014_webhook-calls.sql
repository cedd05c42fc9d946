-- What the API shows of a webhook step while its call is tried again.
alter table webhook_calls
  add column last_error text check (length(last_error) <= 255),
  add column next_try_at timestamptz(3);
comment on column webhook_calls.last_error is
  'of the last call that did not succeed: one of our own sentences, never what was sent or answered';
comment on column webhook_calls.next_try_at is
  'when the next call is due; null: one is in flight, or was when its worker was lost';
