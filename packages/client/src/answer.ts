import type { Operation } from './operation.js'

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The text of a body as JSON, or as it is. */
export function parseBody(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Whether a body is what the interface declares as this operation's success. */
export function isDeclared(answer: Operation['answer'], body: unknown): boolean {
  if (!isObject(body)) return false
  if (answer === 'body') return true
  return answer === 'page' ? Array.isArray(body.data) : isObject(body.data)
}

const requestIdHeaders = ['x-request-id', 'request-id', 'x-amzn-requestid', 'x-amz-apigw-id', 'cf-ray']

/** The id under which the service, or what stands before it, knows the request. */
export function requestIdOf(headers: Headers): string | undefined {
  for (const name of requestIdHeaders) {
    const value = headers.get(name)
    if (value) return value
  }
  return undefined
}
