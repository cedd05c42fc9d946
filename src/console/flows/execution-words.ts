import { reasonWords } from '../sending/reason-words.ts'

const REASONS: Record<string, string> = {
  // The execution ended.
  dropped: 'It was not let in: too many ran already',
  workflow_deleted: 'The workflow was deleted',
  workflow_disabled: 'The workflow was disabled',
  cancelled_by_api: 'Somebody here, or a program, cancelled it',
  stopped_by_operator: 'Whoever runs this server ended it',
  exit_on: 'What ends it came to pass',
  run_lost: 'Its run was lost: retry it',
  too_many_visits: 'It came to one step too often',
  internal_error: 'A fault of ours: retry it',
  // A step failed or was skipped.
  bad_value: 'A value does not fit',
  bad_content: 'What it says cannot be made',
  no_template: 'Its template is gone',
  no_mail: 'Nothing was sent that could be opened',
  not_subscribed: 'They do not subscribe to the topic',
  topic_deleted: 'The topic was deleted',
  field_refused: 'A field cannot have this value',
  not_a_number: 'The property is not a number',
  not_a_list: 'The property is not a list',
  properties_refused: 'The properties would be too large',
  secret_unreadable: 'The secret of its webhooks cannot be read',
  // Of an execution or a step they mean something else than of a mail.
  topic_unsubscribed: 'They left the topic',
  missing_value: 'A value was missing',
  too_large: 'The answer was too large',
}

/** Why an execution or a step ended: for a reason of its own, or for that of its mail. */
export const executionReasonWords = (reason: string): string =>
  REASONS[reason] ?? reasonWords(reason)
