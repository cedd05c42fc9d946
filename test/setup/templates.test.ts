import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { pythonPackages } from '../../src/main/dev/python-packages.ts'
import {
  ACTIONS,
  TEXTS_POLICY,
  CONSOLE_POLICY,
  POLICY_VERSION,
} from '../../src/domain/accounts/aws-actions.ts'
import { cloudformation } from '../../src/setup/cloudformation.ts'
import { eventRate } from '../../src/setup/events.ts'
import { rolePolicies, type Setup, trustPolicy } from '../../src/setup/policies.ts'
import { terraform } from '../../src/setup/terraform.ts'

const run = promisify(execFile)
const INSTALL_MS = 300_000

const SETUP: Setup = {
  accountId: '123456789012',
  region: 'eu-central-1',
  externalId: '5f0f8ba6-5f6c-4c39-9f43-4f1c5b3d3a55',
  principalArn: 'arn:aws:iam::999900001111:role/letterloom',
  webhookEndpoint: 'https://mail.example.com/webhooks/ses/123456789012',
  maxSendRate: 14,
  events: 'webhook',
  smsEnabled: false,
}
const TEXTS: Setup = { ...SETUP, smsEnabled: true }
const QUEUE: Setup = { ...SETUP, events: 'queue' }
const GOVERNMENT: Setup = {
  ...SETUP,
  region: 'us-gov-west-1',
  principalArn: 'arn:aws-us-gov:iam::999900001111:root',
}

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'letterloom-setup-'))
})
afterAll(() => rm(folder, { recursive: true }))

const file = async (name: string, text: string): Promise<string> => {
  const path = join(folder, name)
  await writeFile(path, text)
  return path
}

interface Statement {
  Sid?: string
  Action: string[]
  Resource: string[]
}
const actionsOf = (documents: { Statement: readonly object[] }[]): string[] =>
  documents.flatMap(({ Statement }) => (Statement as Statement[]).flatMap(({ Action }) => Action))

describe('the policies', () => {
  test('allow what the table says and nothing else, each thing once', () => {
    const found = actionsOf(rolePolicies(TEXTS).map(({ document }) => document))
    expect(found.sort()).toEqual([...new Set(Object.values(ACTIONS).flat())].sort())
    expect(found.join()).not.toContain('*')
  })

  test('of an account without text messages are those of mail, unchanged', () => {
    const ofTexts = rolePolicies(TEXTS)
    expect(ofTexts.filter(({ name }) => name !== TEXTS_POLICY)).toEqual(rolePolicies(SETUP))
    const [policy] = ofTexts.filter(({ name }) => name === TEXTS_POLICY)
    expect(policy?.document.Statement).toEqual([
      {
        Sid: 'LetterloomTexts',
        Effect: 'Allow',
        Action: ['sms-voice:SendTextMessage'],
        Resource: [
          'arn:aws:sms-voice:eu-central-1:123456789012:phone-number/*',
          'arn:aws:sms-voice:eu-central-1:123456789012:pool/*',
          'arn:aws:sms-voice:eu-central-1:123456789012:sender-id/*/*',
          'arn:aws:sms-voice:eu-central-1:123456789012:configuration-set/letterloom-5f0f8ba6',
        ],
      },
    ])
  })

  test('come with the configuration set of texts, in both files', () => {
    const set = { ConfigurationSetName: 'letterloom-5f0f8ba6' }
    const resources = (setup: Setup) => JSON.parse(cloudformation(setup)).Resources
    expect(resources(TEXTS).TextConfigurationSet).toEqual({
      Type: 'AWS::SMSVOICE::ConfigurationSet',
      Properties: set,
    })
    expect(resources(SETUP).TextConfigurationSet).toBeUndefined()
    expect(terraform(TEXTS)).toMatch(
      /resource "aws_pinpointsmsvoicev2_configuration_set" "letterloom_5f0f8ba6" \{[^}]+"letterloom-5f0f8ba6"/,
    )
    expect(terraform(SETUP)).not.toContain('sms')
  })

  test('reach this account and region only, where IAM can tell', () => {
    const resources = rolePolicies(SETUP).flatMap(({ document }) =>
      document.Statement.flatMap((statement) =>
        (statement.Resource ?? []).map((resource) => [statement.Action.join(), resource]),
      ),
    )
    expect(resources).toEqual([
      ['ses:SendEmail,ses:SendRawEmail', 'arn:aws:ses:eu-central-1:123456789012:identity/*'],
      [
        'ses:SendEmail,ses:SendRawEmail',
        'arn:aws:ses:eu-central-1:123456789012:configuration-set/*',
      ],
      ['ses:GetAccount,ses:ListEmailIdentities,cloudwatch:GetMetricData', '*'],
      ['ses:GetEmailIdentity', 'arn:aws:ses:eu-central-1:123456789012:identity/*'],
      ['iam:GetRolePolicy', 'arn:aws:iam::123456789012:role/letterloom-5f0f8ba6'],
      [
        'sqs:GetQueueAttributes,sqs:ReceiveMessage,sqs:DeleteMessage',
        'arn:aws:sqs:eu-central-1:123456789012:letterloom-5f0f8ba6-events',
      ],
    ])
  })

  test('carry their version in the console policy', () => {
    const console = rolePolicies(SETUP).find(({ name }) => name === CONSOLE_POLICY)
    expect(console?.document.Statement[0]?.Sid).toBe(`LetterloomV${POLICY_VERSION}`)
  })

  test('trust the operator alone, and him only with the external id', () => {
    expect(trustPolicy(SETUP).Statement).toEqual([
      {
        Effect: 'Allow',
        Principal: { AWS: SETUP.principalArn },
        Action: ['sts:AssumeRole'],
        Condition: { StringEquals: { 'sts:ExternalId': SETUP.externalId } },
      },
    ])
  })
})

describe('the rate of events', () => {
  test.each([
    [null, 300, undefined],
    [0, 20, undefined],
    [1, 20, undefined],
    [14, 56, undefined],
    [75, 300, undefined],
    [500, 300, 2_000],
  ])('of an account that may send %s a second is %i', (maxSendRate, perSecond, neededRate) => {
    expect(eventRate(maxSendRate)).toEqual({ perSecond, neededRate })
  })

  test('is a parameter, which says what to ask AWS for where its quota is too low', () => {
    const fast = { ...SETUP, maxSendRate: 500 }
    const of = (setup: Setup) => JSON.parse(cloudformation(setup))
    expect(of(SETUP).Parameters.EventsPerSecond.Default).toBe(56)
    expect(of(SETUP).Resources.ApiDestination.Properties.InvocationRateLimitPerSecond).toEqual({
      Ref: 'EventsPerSecond',
    })
    expect(of(SETUP).Parameters.EventsPerSecond.Description).not.toContain('quota')
    expect(of(fast).Parameters.EventsPerSecond).toMatchObject({
      Default: 300,
      Description: expect.stringMatching(/can make 2000: have AWS raise the quota/),
    })
    expect(terraform(SETUP)).toMatch(
      /variable "letterloom_5f0f8ba6_events_per_second" \{[^}]* 56\n/,
    )
    expect(terraform(SETUP)).toMatch(
      /invocation_rate_limit_per_second += var\.letterloom_5f0f8ba6_events_per_second\n/,
    )
    expect(terraform(fast)).toContain('can make 2000: have AWS raise the quota')
  })
})

describe('the CloudFormation template', () => {
  test('tries for a day and keeps what was not delivered, for EventBridge alone to write', () => {
    const { Rule, DeadLetterQueue, DeadLetterQueuePolicy } = JSON.parse(
      cloudformation(SETUP),
    ).Resources
    expect(Rule.Properties.Targets[0]).toMatchObject({
      RetryPolicy: { MaximumEventAgeInSeconds: 86_400, MaximumRetryAttempts: 185 },
      DeadLetterConfig: { Arn: { 'Fn::GetAtt': ['DeadLetterQueue', 'Arn'] } },
    })
    expect(DeadLetterQueue.Properties).toEqual({
      QueueName: 'letterloom-5f0f8ba6-undelivered',
      MessageRetentionPeriod: 1_209_600,
      SqsManagedSseEnabled: true,
    })
    expect(DeadLetterQueuePolicy.Properties.PolicyDocument.Statement).toEqual([
      {
        Effect: 'Allow',
        Principal: { Service: 'events.amazonaws.com' },
        Action: ['sqs:SendMessage'],
        Resource: [{ 'Fn::Sub': '${DeadLetterQueue.Arn}' }],
        Condition: { ArnEquals: { 'aws:SourceArn': { 'Fn::Sub': '${Rule.Arn}' } } },
      },
    ])
  })

  test('has the role, the policies and the way of events, and asks for the secret unseen', () => {
    const template = JSON.parse(cloudformation(SETUP))
    const { Role, ApiDestination, WebhookConnection, Rule } = template.Resources
    expect(Role.Properties).toMatchObject({
      RoleName: 'letterloom-5f0f8ba6',
      AssumeRolePolicyDocument: trustPolicy(SETUP),
      Policies: rolePolicies(SETUP).map(({ name, document }) => ({
        PolicyName: name,
        PolicyDocument: document,
      })),
    })
    expect(template.Parameters).toMatchObject({ WebhookSecret: { Type: 'String', NoEcho: true } })
    expect(template.Parameters.WebhookSecret).not.toHaveProperty('Default')
    expect(WebhookConnection.Properties.AuthParameters).toEqual({
      ApiKeyAuthParameters: {
        ApiKeyName: 'x-webhook-secret',
        ApiKeyValue: { Ref: 'WebhookSecret' },
      },
    })
    expect(ApiDestination.Properties.InvocationEndpoint).toBe(SETUP.webhookEndpoint)
    expect(Rule.Properties.EventPattern.source).toEqual(['aws.ses'])
    expect(JSON.stringify(template.Outputs)).not.toContain('WebhookSecret')
  })

  test('with a queue: nothing is posted, and no secret is asked for', () => {
    const { Parameters, Resources, Outputs } = JSON.parse(cloudformation(QUEUE))
    expect(Parameters).toBeUndefined()
    expect(cloudformation(QUEUE)).not.toMatch(/ApiDestination|webhook|secret/i)
    expect(Resources.EventQueue.Properties).toEqual({
      QueueName: 'letterloom-5f0f8ba6-events',
      MessageRetentionPeriod: 1_209_600,
      VisibilityTimeout: 30,
      ReceiveMessageWaitTimeSeconds: 20,
      SqsManagedSseEnabled: true,
      RedrivePolicy: {
        deadLetterTargetArn: { 'Fn::GetAtt': ['DeadLetterQueue', 'Arn'] },
        maxReceiveCount: 100,
      },
    })
    expect(Resources.EventQueuePolicy.Properties).toEqual({
      Queues: [{ Ref: 'EventQueue' }],
      PolicyDocument: {
        Version: '2012-10-17',
        Statement: [
          {
            Effect: 'Allow',
            Principal: { Service: 'events.amazonaws.com' },
            Action: ['sqs:SendMessage'],
            Resource: [{ 'Fn::Sub': '${EventQueue.Arn}' }],
            Condition: { ArnEquals: { 'aws:SourceArn': { 'Fn::Sub': '${Rule.Arn}' } } },
          },
        ],
      },
    })
    expect(Resources.Rule.Properties.Targets).toEqual([
      {
        Id: 'letterloom',
        Arn: { 'Fn::GetAtt': ['EventQueue', 'Arn'] },
        RetryPolicy: { MaximumEventAgeInSeconds: 86_400, MaximumRetryAttempts: 185 },
        DeadLetterConfig: { Arn: { 'Fn::GetAtt': ['DeadLetterQueue', 'Arn'] } },
      },
    ])
    expect(Outputs.EventQueueUrl.Value).toEqual({ Ref: 'EventQueue' })
  })

  test(
    'passes cfn-lint',
    async () => {
      const found = await findPython()
      if ('missing' in found) return say(`cfn-lint: left out: ${found.missing}`)
      const lint = (setups: Record<string, string>, { region }: Setup, ignored: string[] = []) =>
        Promise.all(
          Object.entries(setups).map(([name, text]) => file(`${region}.${name}.json`, text)),
        ).then((paths) =>
          run(join(found.bin, 'cfn-lint'), [
            '--regions',
            region,
            '--include-checks',
            'I',
            ...ignored.flatMap((check) => ['--ignore-checks', check]),
            '--',
            ...paths,
          ]),
        )
      const [webhook, queue] = [cloudformation(SETUP), cloudformation(QUEUE)]
      expect(await lint({ webhook, queue }, SETUP)).toEqual({ stdout: '', stderr: '' })
      // cfn-lint knows no API destinations in GovCloud and the newest regions; AWS does not say
      // where they are.
      const government = cloudformation(GOVERNMENT)
      const left = await lint({ government }, GOVERNMENT, ['E3006'])
      expect(left).toEqual({ stdout: '', stderr: '' })
      // It is not silent about everything.
      const broken = cloudformation(QUEUE).replace('3600', '36')
      await expect(lint({ broken }, QUEUE)).rejects.toMatchObject({
        stdout: expect.stringContaining('36 is less than the minimum of 3600'),
      })
    },
    INSTALL_MS,
  )
})

describe('the Terraform file', () => {
  test('says the same as the CloudFormation template', () => {
    const text = terraform(SETUP)
    const documents = [...text.matchAll(/jsonencode\((\{.*?\n {2}\})\)\n/gs)].map(([, hcl = '']) =>
      fromHcl(hcl),
    )
    const template = JSON.parse(cloudformation(SETUP))
    const { Role, EventsRole, DeadLetterQueuePolicy, Rule } = template.Resources
    const [letters] = DeadLetterQueuePolicy.Properties.PolicyDocument.Statement
    expect(documents).toEqual([
      Role.Properties.AssumeRolePolicyDocument,
      ...Role.Properties.Policies.map((each: { PolicyDocument: object }) => each.PolicyDocument),
      EventsRole.Properties.AssumeRolePolicyDocument,
      {
        ...EventsRole.Properties.Policies[0].PolicyDocument,
        Statement: [
          {
            Effect: 'Allow',
            Action: ['events:InvokeApiDestination'],
            Resource: ['aws_cloudwatch_event_api_destination.letterloom_5f0f8ba6.arn'],
          },
        ],
      },
      {
        ...DeadLetterQueuePolicy.Properties.PolicyDocument,
        Statement: [
          {
            ...letters,
            Resource: ['aws_sqs_queue.letterloom_5f0f8ba6_undelivered.arn'],
            Condition: {
              ArnEquals: { 'aws:SourceArn': 'aws_cloudwatch_event_rule.letterloom_5f0f8ba6.arn' },
            },
          },
        ],
      },
      Rule.Properties.EventPattern,
    ])
    expect(text).toContain('arn = aws_sqs_queue.letterloom_5f0f8ba6_undelivered.arn')
    expect(text).toMatch(/sensitive +=? ?true/)
    expect(text).toContain('allowed_account_ids = ["123456789012"]')
  })

  test('says the same with a queue', () => {
    const text = terraform(QUEUE)
    expect(text).not.toMatch(/api_destination|webhook|secret/i)
    expect(text).toContain('name                       = "letterloom-5f0f8ba6-events"')
    expect(text).toContain(
      'deadLetterTargetArn" = aws_sqs_queue.letterloom_5f0f8ba6_undelivered.arn',
    )
    expect(text).toMatch(/"maxReceiveCount" += 100\n/)
    expect(text).toContain('aws_sqs_queue.letterloom_5f0f8ba6_events.url')
    const policies = [...text.matchAll(/policy += jsonencode\((\{.*?\n {2}\})\)\n/gs)]
    const documents = policies.map(([, hcl = '']) => JSON.stringify(fromHcl(hcl)))
    const letters = documents.filter((document) => document.includes('sqs:SendMessage'))
    expect(letters).toHaveLength(2)
    for (const queue of ['events', 'undelivered']) {
      const arn = `aws_sqs_queue.letterloom_5f0f8ba6_${queue}.arn`
      const found = letters.find((document) => document.includes(arn))
      expect(found).toContain('aws_cloudwatch_event_rule.letterloom_5f0f8ba6.arn')
    }
    expect(text).toMatch(/ arn += aws_sqs_queue\.letterloom_5f0f8ba6_events\.arn\n/)
  })

  test('takes no text of ours for a template of its own', () => {
    const text = terraform({ ...SETUP, webhookEndpoint: 'https://x.example/${var.a}%{if b}"' })
    expect(text).toContain('"https://x.example/$${var.a}%%{if b}\\""')
  })

  test(
    'is parsed by another parser',
    async () => {
      const found = await findPython()
      if ('missing' in found) return say(`python-hcl2: left out: ${found.missing}`)
      const path = await file('parsed.tf', terraform(SETUP))
      const script = 'import hcl2, json, sys; print(json.dumps(hcl2.load(open(sys.argv[1]))))'
      const { stdout } = await run(join(found.bin, 'python'), ['-c', script, path])
      const parsed = JSON.parse(stdout) as { resource: Record<string, object>[] }
      const kinds = parsed.resource.flatMap((each) => Object.keys(each))
      expect(kinds.map((kind) => kind.replaceAll('"', '')).sort()).toEqual([
        'aws_cloudwatch_event_api_destination',
        'aws_cloudwatch_event_connection',
        'aws_cloudwatch_event_rule',
        'aws_cloudwatch_event_target',
        'aws_iam_role',
        'aws_iam_role',
        'aws_iam_role_policy',
        'aws_iam_role_policy',
        'aws_iam_role_policy',
        'aws_iam_role_policy',
        'aws_sesv2_configuration_set',
        'aws_sesv2_configuration_set_event_destination',
        'aws_sqs_queue',
        'aws_sqs_queue_policy',
      ])
    },
    INSTALL_MS,
  )

  test(
    'is as terraform formats it, and valid where its provider can be had',
    async () => {
      const version = await run('terraform', ['version']).catch(() => undefined)
      if (version === undefined) return say('terraform: left out: there is none')
      for (const setup of [SETUP, QUEUE]) {
        const path = await file(`${setup.events}.tf`, terraform(setup))
        await run('terraform', ['fmt', '-check', '-diff', path])
      }
      const messy = await file('messy.tf', terraform(SETUP).replace('region  ', 'region'))
      await expect(run('terraform', ['fmt', '-check', messy])).rejects.toThrow('fmt')

      const here = await mkdtemp(join(folder, 'terraform-'))
      await writeFile(join(here, 'main.tf'), terraform(SETUP))
      const begun = await run('terraform', [`-chdir=${here}`, 'init', '-no-color'], {
        timeout: INSTALL_MS / 2,
      }).catch(() => undefined)
      if (begun === undefined) return say('terraform validate: left out: no provider to be had')
      const { stdout } = await run('terraform', [`-chdir=${here}`, 'validate', '-json'])
      expect(JSON.parse(stdout)).toMatchObject({ valid: true, warning_count: 0 })
    },
    INSTALL_MS,
  )
})

const say = (line: string): void => void process.stderr.write(`${line}\n`)

const findPython = () =>
  pythonPackages({
    tool: 'setup',
    title: 'cfn-lint and python-hcl2',
    cacheFolder: inject('cacheFolder'),
    log: () => {},
  })

/** An HCL object of ours as JSON reads it: colons, commas, and references as texts. */
function fromHcl(hcl: string): unknown {
  const json = hcl
    .replaceAll(/^( *"[^"]+") += /gm, '$1: ')
    .replaceAll(/\[(aws_[\w.]+)\]/g, '["$1"]')
    .replaceAll(/: (aws_[\w.]+)$/gm, ': "$1"')
    .replaceAll(/([^\s{[,])\n(?= *["{[])/g, '$1,\n')
  return JSON.parse(json)
}
