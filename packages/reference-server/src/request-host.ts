/** Host and port as RFC 3986 writes them: a name, an IPv4 address or a literal in brackets. It may be empty. */
const authority = /^(?:\[[0-9a-f:.]+\]|(?:[\w.~!$&'()*+,;=-]|%[0-9a-f]{2})*)(?::\d*)?$/i

/** Whether the value of a Host header has the form that RFC 9110 gives it; which host it names is not looked at. */
export const isHost = (value: string): boolean => authority.test(value)

/** What is wrong with the Host of a request by RFC 9112, 3.2; undefined when nothing is. `rawHeaders` holds names and values in turn. */
export function hostProblem(rawHeaders: readonly string[], httpVersion: string): string | undefined {
  let host: string | undefined
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]
    if (name?.length !== 4 || name.toLowerCase() !== 'host') continue
    if (host !== undefined) return 'There is more than one Host header.'
    host = rawHeaders[i + 1] ?? ''
  }
  if (host === undefined) return httpVersion === '1.0' ? undefined : 'The Host header is missing.'
  return isHost(host) ? undefined : 'The Host header is not a host and a port.'
}
