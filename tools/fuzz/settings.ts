import { join } from 'node:path'
import { toolFolder } from '../../src/main/dev/tool-folder.ts'
import type { Subject } from './subject.ts'

/** Share of parameters whose value names an existing resource. */
const KNOWN_SHARE = 0.6

/**
 * Statuses of well-formed requests besides success: rules, plans, rights, state. 401 is among them
 * because the probes of `ignored_auth` with made-up credentials are judged by this list, too, where
 * hooks.py gives them a key of their own. `ignored_auth` checks that they are refused.
 */
const REFUSALS = [400, 401, 402, 403, 404, 409]
/** Statuses of requests that break the published schema. */
const REJECTIONS = [400, 401, 403, 404, 405, 413, 414, 415, 422, 431]

/**
 * Settings of Schemathesis in TOML. JSON strings, numbers and arrays are valid TOML.
 *
 * `positive_data_acceptance` expresses our use of 422: only requests that the published schema
 * refuses. Rules that need stored data, other fields or the clock answer 400.
 */
export function settings({ known, webhookSecret }: Subject, bearer: string): string {
  const lines = [
    `hooks = ${JSON.stringify(join(toolFolder('fuzz'), 'hooks.py'))}`,
    'continue-on-failure = true',
    'request-timeout = 15.0',
    '[auth.openapi]',
    `bearer = { bearer = ${JSON.stringify(bearer)} }`,
    '[generation]',
    'database = "none"',
    'allow-x00 = false',
    '[checks]',
    `positive_data_acceptance = ${statuses(['2xx', ...REFUSALS])}`,
    `negative_data_rejection = ${statuses(REJECTIONS)}`,
  ]
  for (const [operation, parameters] of Object.entries(known)) {
    for (const [name, values] of Object.entries(parameters)) {
      lines.push(
        `[dictionaries.${JSON.stringify(`${operation} ${name}`)}]`,
        `values = ${JSON.stringify(values)}`,
      )
    }
  }
  const besides = (...more: number[]): string =>
    `positive_data_acceptance = ${statuses(['2xx', ...REFUSALS, ...more])}`
  // GET and the like are of the contact whose externalId is "batch": its Allow is true.
  const isAlsoContact = 'allow_header_conformance = { enabled = false }'
  // Likewise PATCH and the like of the workflow or template whose slug is "pull" or "push".
  const isAlsoSlug = isAlsoContact
  // Likewise GET and the like of a batch, which say that "preview" is no id.
  const isAlsoBatch = isAlsoContact
  // Likewise GET and the like of a segment, which say that "preview" is no id.
  const isAlsoSegment = isAlsoContact
  // Likewise GET and PATCH of a single mail or text: "logs", "metrics" and "send" are no ids.
  const isAlsoMail = isAlsoContact
  // The worker was stopped: an account that the attack connects itself can be asked by nobody. That
  // 503 is documented; a 500 is neither an acceptance nor a rejection, so it is still a finding.
  const isNotAsked = `${besides(503)}, not_a_server_error = { enabled = false }`
  // A row that breaks the schema is told in the answer, and the other rows are kept.
  const isToldByRow = 'negative_data_rejection = { enabled = false }'
  // Forms of browsers have fields that nobody knows.
  const isForm = isToldByRow
  const own: Record<string, string[]> = {
    // The secret is one account's: with another account number it proves nothing. With it nothing
    // is refused for what it says: the event bus would take that for the end of the event.
    receiveSesEvent: [
      `headers = { x-webhook-secret = ${JSON.stringify(webhookSecret)} }`,
      'checks = { negative_data_rejection = { enabled = false } }',
    ],
    verifyConnection: [`checks = { ${isNotAsked} }`],
    listDomains: [`checks = { ${isNotAsked} }`],
    getDomain: [`checks = { ${isNotAsked} }`],
    recheckConsolePolicy: [`checks = { ${isNotAsked} }`],
    // A link that is ours: over, or opened so often that its own limit answers.
    showConfirmation: [`checks = { ${besides(410, 429)} }`],
    confirmSubscription: [`checks = { ${besides(410, 429)} }`],
    showInvitation: [`checks = { ${besides(410, 429)} }`],
    showPreferences: [`checks = { ${besides(429)} }`],
    showUnsubscribe: [`checks = { ${besides(429)} }`],
    unsubscribe: [`checks = { ${besides(429)} }`],
    // Used once; a form has fields that nobody knows.
    acceptInvitation: [`checks = { ${besides(410, 422, 429)}, ${isForm} }`],
    // An empty form says nothing: then a JSON body is asked for.
    savePreferences: [`checks = { ${besides(422, 429)}, ${isForm} }`],
    postTools: [`checks = { ${besides(422)}, ${isForm} }`],
    // So many a day: the rest is 429.
    inviteMember: [`checks = { ${besides(429)} }`],
    resendInvitation: [`checks = { ${besides(429)} }`],
    // A mapping may be longer than an address: then it is a field of a form.
    importContacts: [`checks = { ${besides(414, 431)}, ${isAlsoContact} }`],
    previewBatch: [`checks = { ${isAlsoBatch} }`],
    previewSegment: [`checks = { ${isAlsoSegment} }`],
    upsertContacts: [`checks = { ${isAlsoContact}, ${isToldByRow} }`],
    ingestEvents: [`checks = { ${isToldByRow} }`],
    triggerWorkflowBatch: [`checks = { ${isToldByRow} }`],
    exportContacts: [`checks = { ${isAlsoContact} }`],
    listImports: [`checks = { ${isAlsoContact} }`],
    // Its filters, each as long as it may be, are together longer than an address.
    getEmailMetrics: [`checks = { ${besides(414, 431)}, ${isAlsoMail} }`],
    listEmailLogs: [`checks = { ${isAlsoMail} }`],
    sendEmail: [`checks = { ${isAlsoMail} }`],
    listTextLogs: [`checks = { ${isAlsoMail} }`],
    sendText: [`checks = { ${isAlsoMail} }`],
    sendEmails: [`checks = { ${isToldByRow} }`],
    // What single mail does not have is refused by the name that Resend gives it.
    sendResendEmail: [`checks = { ${besides(422)} }`],
    sendResendEmails: [`checks = { ${besides(422)}, ${isAlsoMail} }`],
    pullTemplates: [`checks = { ${isAlsoSlug} }`],
    pushTemplates: [`checks = { ${isAlsoSlug} }`],
    pushTemplateBatch: [`checks = { ${isToldByRow} }`],
    pullWorkflows: [`checks = { ${isAlsoSlug} }`],
    pushWorkflows: [`checks = { ${isAlsoSlug} }`],
  }
  for (const operation of new Set([...Object.keys(own), ...Object.keys(known)])) {
    const parameters = known[operation] ?? {}
    lines.push('[[operations]]', `include-operation-id = ${JSON.stringify(operation)}`)
    lines.push(...(own[operation] ?? []), '[operations.parameters]')
    for (const name of Object.keys(parameters)) {
      const dictionary = JSON.stringify(`${operation} ${name}`)
      lines.push(
        `${JSON.stringify(name)} = { dictionary = ${dictionary}, probability = ${KNOWN_SHARE} }`,
      )
    }
  }
  return `${lines.join('\n')}\n`
}

const statuses = (expected: readonly (number | string)[]): string =>
  `{ expected-statuses = ${JSON.stringify(expected)} }`
