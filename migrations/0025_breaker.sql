-- What stops a batch that the provider refuses for its sender's sake, or whose mails take too long to make.
alter table batches
  add column sender_refusals integer not null default 0 check (sender_refusals >= 0),
  add column render_timeouts integer not null default 0 check (render_timeouts >= 0),
  add column render_timeouts_in_row integer not null default 0 check (render_timeouts_in_row >= 0),
  add column streak_sent integer not null default 0;
comment on column batches.sender_refusals is 'in a row, of this attempt; not the recipients'' fault, whose rows are queued again';
comment on column batches.render_timeouts is 'of this attempt';
comment on column batches.streak_sent is 'what `sent` was when those in a row were counted last: another by now ends both';
