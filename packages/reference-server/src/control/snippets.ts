import type { JournalEntry } from '../journal/index.js'

// The page holds these functions as text: each needs nothing outside of itself.

/** A text without whole keys. */
export function masked(text: string): string {
  return text.replaceAll(/(sk-[a-z]+-api\d\d-)([\w.~%+-]+)/gi, (_, prefix: string, secret: string) => {
    return `${prefix}…${secret.length >= 12 ? secret.slice(-4) : ''}`
  })
}

/** A request as a command of a POSIX shell with the variables of `svc mock`; the key is not in it. */
export function curlOf({ method, surface, path, headers, body, bodyBytes }: JournalEntry): string {
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
  const base = surface === 'workspace' ? '$SVC_PUBLIC_BASE_URL' : '$SVC_BASE_URL'
  const curlHeaders = [
    'host',
    'connection',
    'content-length',
    'transfer-encoding',
    'accept-encoding',
    'expect',
    'user-agent',
  ]
  const shown = Object.entries(headers).filter(([name]) => !curlHeaders.includes(name))
  const flags = shown.map(([name, value]) =>
    name === 'authorization' ? '-H "authorization: Bearer $SVC_API_KEY"' : `-H ${quoted(`${name}: ${value}`)}`,
  )
  const request = method === 'HEAD' ? '--head' : `-X ${quoted(method)}`
  const command = [`curl ${request} "${base}"${quoted(path)}`, ...flags].join(' \\\n  ')
  if (body === undefined) return bodyBytes ? `${command} # its body of ${bodyBytes} bytes is not kept` : command
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  // Linux takes no longer argument than 128 KiB.
  if (text.length < 30_000) return `${command} \\\n  --data-binary ${quoted(text)}`
  let end = 'BODY'
  while (text.includes(end)) end += '_'
  return `${command} \\\n  --data-binary @- <<'${end}'\n${text}\n${end}`
}

/** A request as a call of a client that is named `svc`. The ids of the operations are the names of its methods. */
export function callOf({ operation, surface, method, path, query, body }: JournalEntry): string {
  const code = (value: unknown) => JSON.stringify(value, null, 2)
  const [pathname = ''] = path.split('?')
  const hasQuery = Object.keys(query).length > 0
  if (operation === null || operation === 'description') {
    // No body is read of a request to an unknown path.
    const rest = hasQuery ? `, ${code({ query })}` : ''
    return `await svc.request(${code(surface)}, ${code(method)}, ${code(pathname)}${rest})`
  }
  const decoded = (id: string) => {
    try {
      return decodeURIComponent(id)
    } catch {
      return id
    }
  }
  const ids = Array.from(pathname.matchAll(/\/(?:projects|transcripts|batches)\/([^/]+)/g), ([, id = '']) =>
    code(decoded(id)),
  )
  const numbers = Object.entries(query).map(([name, value]) => [
    name,
    (name === 'page' || name === 'limit') && /^\d+$/.test(String(value)) ? Number(value) : value,
  ])
  const input = method === 'POST' ? body : hasQuery ? Object.fromEntries(numbers) : undefined
  return `await svc.${operation}(${[...ids, ...(input === undefined ? [] : [code(input)])].join(', ')})`
}
