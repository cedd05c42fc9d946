const REASONS: Record<string, string> = {
  // The execution ended.
  dropped: 'It was not let in: too many ran already',
  workflow_deleted: 'The workflow was deleted',
  workflow_disabled: 'The workflow was disabled',
  contact_deleted: 'The contact was deleted',
  cancelled_by_api: 'Somebody here, or a program, cancelled it',
  stopped_by_operator: 'Whoever runs this server ended it',
  exit_on: 'What ends it came to pass',
  topic_unsubscribed: 'They left the topic',
  run_lost: 'Its run was lost: retry it',
  too_many_visits: 'It came to one step too often',
  internal_error: 'A fault of ours: retry it',
  // A step failed or was skipped.
  missing_value: 'A value was missing',
  bad_value: 'A value does not fit',
  bad_content: 'What it says cannot be made',
  no_template: 'Its template is gone',
  no_mail: 'Nothing was sent that could be opened',
  no_address: 'They have no email address',
  not_subscribed: 'They do not subscribe to the topic',
  topic_deleted: 'The topic was deleted',
  field_refused: 'A field cannot have this value',
  not_a_number: 'The property is not a number',
  not_a_list: 'The property is not a list',
  properties_refused: 'The properties would be too large',
  secret_unreadable: 'The secret of its webhooks cannot be read',
  too_large: 'The answer was too large',
  unsubscribed: 'They have unsubscribed',
  bounced: 'Their address has bounced before',
  complained: 'They have complained before',
  suppressed: 'Their address is on the suppression list',
}

/** Why an execution or a step ended. Reasons that are not listed are shown as they are. */
export const reasonWords = (reason: string): string =>
  REASONS[reason] ?? reason.replaceAll('_', ' ')
