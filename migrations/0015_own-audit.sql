-- An organization's audit trail holds what was done in its own sessions and by its own keys. What a
-- person does elsewhere, and who fails to be them, is none of its business: failed logins are
-- counted in login_failures and noted nowhere else.
--
-- The function stays for programs of the release before, which call it; it notes nothing.
create or replace function audit_person(base uuid, person uuid, noted_actor_kind text,
  noted_actor uuid, noted_action text, noted_request text, at timestamptz)
returns void
language sql immutable
begin atomic
end;

drop policy noting on audit_events;
revoke insert on audit_events from letterloom_definer;
