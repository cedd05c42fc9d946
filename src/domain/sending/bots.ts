/**
 * Which programs open mail by themselves, so that their opens tell nothing about a person. Raise
 * the version with each change: figures of older mails stay as they were counted.
 *
 * The image proxies of Gmail and Yahoo are no bots: they fetch when a person opens. A bare
 * `Mozilla/5.0` is Apple's Mail Privacy Protection, which fetches whatever arrives.
 */
export const BOT_LIST_VERSION = 1

const NO_PERSON = /^(?:mozilla\/5\.0)?$/
/** Where people's own programs have such a word in their name, it is not here. */
const BOT =
  /bot\b|crawl|spider|scan|preview|headless|phantomjs|barracuda|mimecast|proofpoint|trendmicro|symantec|fireeye|ironport|cloudmark|urldefense|safelinks|curl\/|wget\/|python|go-http-client|java\/|okhttp|axios|node-fetch|libwww|httpclient/
const PERSONS_PROXY = /googleimageproxy|ggpht\.com|yahoomailproxy/

/** Whether an open with this user agent was a program's own doing. */
export function isBot(userAgent: string | undefined): boolean {
  const agent = (userAgent ?? '').trim().toLowerCase()
  if (NO_PERSON.test(agent)) return true
  return BOT.test(agent) && !PERSONS_PROXY.test(agent)
}
