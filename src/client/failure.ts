import type { components } from './schema.ts'

type ApiError = components['schemas']['ApiError']

export class ApiFailure extends Error {
  readonly status: number
  /** Stable code for programs. Derived from the status if a proxy answered instead of the API. */
  readonly code: ApiError['code']
  /** A stable snake_case word that is more specific than the code. */
  readonly reason: string | undefined
  readonly requestId: string | undefined
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
