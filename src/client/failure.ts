import type { components } from './schema.ts'

type ApiError = components['schemas']['ApiError']

/** A response that is not a success. The fields are those of the API's errors. */
export class ApiFailure extends Error {
  /** Of the HTTP answer. */
  readonly status: number
  /** For programs; stable. Something between us and the API may have answered: then by status. */
  readonly code: ApiError['code']
  /** A stable snake_case word that says more than the code. */
  readonly reason: string | undefined
  /** Quote it to support. */
  readonly requestId: string | undefined
  /** What is wrong with which place of the input. */
  readonly details: ApiError['details']

  constructor(response: Response, body: ApiError | undefined) {
    super(body?.error ?? `The server answered ${response.status}`)
    this.name = 'ApiFailure'
    this.status = response.status
    this.code = body?.code ?? (response.status >= 500 ? 'INTERNAL_ERROR' : 'REQUEST_FAILED')
    this.reason = body?.reason
    this.requestId = body?.requestId ?? response.headers.get('x-request-id') ?? undefined
    this.details = body?.details
  }
}

/** The failure that an answer tells, whether the API wrote it or a proxy before it. */
export async function failureOf(response: Response): Promise<ApiFailure> {
  const text = await response.text().catch(() => '')
  return new ApiFailure(response, parse(text))
}

function parse(text: string): ApiError | undefined {
  try {
    const body: unknown = JSON.parse(text)
    return isApiError(body) ? body : undefined
  } catch {
    return undefined
  }
}

const isApiError = (body: unknown): body is ApiError =>
  typeof body === 'object' &&
  body !== null &&
  'error' in body &&
  typeof body.error === 'string' &&
  'code' in body &&
  typeof body.code === 'string'
