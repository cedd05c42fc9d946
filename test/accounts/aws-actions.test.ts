import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { PROBES } from '../../activities/aws/probes.ts'
import {
  ACTIONS,
  type Purpose,
  PURPOSES,
  sessionPolicy,
} from '../../src/domain/accounts/aws-actions.ts'
import { root } from '../house/files.ts'

/** As whom IAM knows the services that the SDK's packages speak to. */
const SERVICES: Record<string, string> = {
  'client-sesv2': 'ses',
  'client-cloudwatch': 'cloudwatch',
  'client-iam': 'iam',
  'client-sts': 'sts',
  'client-sqs': 'sqs',
  'client-pinpoint-sms-voice-v2': 'sms-voice',
}
/** As ourselves, not as a customer's role. */
const OWN = ['sts:AssumeRole']
/** What IAM asks for beside the call: see the table. */
const WITHOUT_CALL = ['ses:SendRawEmail']

/** There is no permission for batches. */
const BATCHES: Record<string, string> = { 'sqs:DeleteMessageBatch': 'sqs:DeleteMessage' }

/** The IAM actions of every call that a source makes through the SDK. */
function callsIn(source: string): string[] {
  const imported = new Map<string, string>()
  for (const [, names = '', library = ''] of source.matchAll(
    /import (?:type )?\{([^}]+)\} from '@aws-sdk\/([\w-]+)'/g,
  )) {
    for (const name of names.split(',')) imported.set(name.replace('type', '').trim(), library)
  }
  return [...source.matchAll(/new (\w+)Command\(/g)].map(([, name = '']) => {
    const library = imported.get(`${name}Command`) ?? 'nowhere'
    const action = `${SERVICES[library] ?? library}:${name}`
    return BATCHES[action] ?? action
  })
}

const folder = join(root, 'activities/aws')
const sources = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))

test('the policies allow what the code calls, and the code calls what they allow', () => {
  const calls = new Set(sources.flatMap(callsIn))
  // The own transport takes its addresses from the SDK's commands that send: see endpoint.ts.
  expect(sources.join('\n')).toMatch(/await endpointOf\(iamRole\.region\)/)
  const allowed = Object.values(ACTIONS).flat()
  expect([...calls].filter((each) => !OWN.includes(each)).sort()).toEqual(
    [...new Set(allowed)].filter((each) => !WITHOUT_CALL.includes(each)).sort(),
  )
})

test('a call that is new is seen, wherever its package comes from', () => {
  const added = `
    import { ListRecommendationsCommand, type SESv2Client } from '@aws-sdk/client-sesv2'
    import {
      PublishCommand,
    } from '@aws-sdk/client-sns'
    client.send(new ListRecommendationsCommand({}))
    client.send(new PublishCommand({}))`
  expect(callsIn(added)).toEqual(['ses:ListRecommendations', 'client-sns:Publish'])
})

test('every permission of mail is tried out by a verification, with the credentials of its purpose', () => {
  for (const purpose of PURPOSES) {
    const probed = PROBES[purpose].map(({ action }) => action)
    expect(probed.filter((action) => !ACTIONS[purpose].includes(action))).toEqual([])
  }
  const probed = Object.values(PROBES).flatMap((probes) => probes.map(({ action }) => action))
  const allowed = new Set(Object.values(ACTIONS).flat())
  const untried = [...WITHOUT_CALL, ...ACTIONS.texts]
  expect(probed.sort()).toEqual([...allowed].filter((each) => !untried.includes(each)).sort())
})

test('session policies fit, name no wildcard action, and reach one role and the account’s queues', () => {
  const role = { accountId: '123456789012', region: 'us-gov-west-1', externalId: '12345678-x' }
  for (const purpose of PURPOSES) {
    const policy = sessionPolicy(purpose, role)
    expect(policy.length).toBeLessThanOrEqual(2_048)
    expect(JSON.parse(policy).Statement[0].Action).toEqual([...ACTIONS[purpose]])
    expect(ACTIONS[purpose].join()).not.toContain('*')
  }
  const resourceOf = (purpose: Purpose) =>
    JSON.parse(sessionPolicy(purpose, role)).Statement[0].Resource
  expect(resourceOf('policy')).toBe('arn:aws-us-gov:iam::123456789012:role/letterloom-12345678')
  expect(resourceOf('queue')).toBe('arn:aws-us-gov:sqs:us-gov-west-1:123456789012:*')
})
