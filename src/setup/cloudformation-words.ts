import type { PolicyDocument } from './policies.ts'

export const attribute = (resource: string, name: string) => ({ 'Fn::GetAtt': [resource, name] })
export const reference = (name: string) => ({ Ref: name })

export const substituted = ({ Version, Statement }: PolicyDocument) => ({
  Version,
  Statement: Statement.map(({ Resource = [], Condition, ...statement }) => ({
    ...statement,
    Resource: Resource.map(substitute),
    ...(Condition && { Condition: mapValues(Condition, (each) => mapValues(each, substitute)) }),
  })),
})

const substitute = (text: string) => ({ 'Fn::Sub': text })

const mapValues = <T, U>(values: Record<string, T>, change: (value: T) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]))
