import { describe, expect, it } from 'vitest'
import { isBot } from '../../src/domain/delivery/bots.ts'

const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'

const PREFETCH =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/42.0.2311.135 Safari/537.36 Edge/12.246 Mozilla/5.0'
const EDGE = PREFETCH.replace(/ Mozilla\/5\.0$/, '')

describe('an open is by a bot', () => {
  it.each([
    undefined,
    '',
    '  ',
    'Mozilla/5.0',
    'Barracuda Sentinel (EE)',
    'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
    'python-requests/2.32',
    'curl/8.5.0',
    'Go-http-client/2.0',
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 HeadlessChrome/140.0.0.0 Safari/537.36',
    'Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) Mimecast',
    'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
    'facebookexternalhit/1.1',
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ClaudeBot/1.0)',
    `${'x'.repeat(100)} crawler`,
    PREFETCH,
    `${CHROME} Gmail-content-sampling`,
    'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy) Gmail-content-sampling',
  ])('%s', (agent) => {
    expect(isBot(agent)).toBe(true)
  })
})

describe('an open is by a person', () => {
  it.each([
    CHROME,
    EDGE,
    'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)',
    'YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html',
    'Mozilla/4.0 (compatible; ms-office; MSOffice 16)',
    'Microsoft Office/16.0 (Windows NT 10.0; Microsoft Outlook 16.0.17328; Pro)',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)',
    'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Thunderbird/128.0',
    'Mozilla/5.0 (Linux; Android 10; CUBOT NOTE 20) AppleWebKit/537.36 Chrome/108.0.0.0 Mobile',
    'Mozilla/5.0 (Linux; Android 12;CUBOT) AppleWebKit/537.36 Chrome/108.0.0.0 Mobile',
    'Outlook-iOS/2.0',
    'OutlookMobileProxy',
    'SeznamEmailProxy',
    'YahooMobile/1.0 (mail; 6.31.2)',
    'Mail/3774 CFNetwork/1568 Darwin/24.0',
    'Superhuman/1.0',
    'Lotus-Notes/6.0 (Windows-NT)',
    'Postbox/7.0',
  ])('%s', (agent) => {
    expect(isBot(agent)).toBe(false)
  })
})
