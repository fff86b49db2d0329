type Variables = Record<string, string | undefined>

/** The proxy that requests to an address go through; undefined where they go straight. */
export function proxyFor(url: URL, env: Variables): string | undefined {
  const set = (name: string) => env[name] || env[name.toUpperCase()] || ''
  const proxy = set(url.protocol === 'https:' ? 'https_proxy' : 'http_proxy')
  if (proxy === '') return undefined
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  const isExcepted = set('no_proxy')
    .split(/[\s,]+/)
    .filter(Boolean)
    .some((entry) => {
      if (entry === '*') return true
      const [, host = '', only] = /^\*?\.?(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? []
      return (only === undefined || only === port) && (url.hostname === host || url.hostname.endsWith(`.${host}`))
    })
  if (isExcepted) return undefined
  return /^[a-z\d]+:\/\//i.test(proxy) ? proxy : `http://${proxy}`
}
