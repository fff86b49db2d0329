import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { type ClientOptions, resolveOptions } from './options.js'
import { version } from './version.js'

const keys = (options: ClientOptions, environment = {}) => {
  const { annotation, workspace } = resolveOptions({ ...options, environment }).surfaces
  return [annotation.key, workspace.key]
}
const publicBase = (publicBaseUrl: string, more: ClientOptions = {}) =>
  resolveOptions({ apiKey: 'k', publicBaseUrl, environment: {}, ...more }).surfaces.workspace.baseUrl

describe('keys', () => {
  it('keys come from the options before the environment, and from the surface before both', () => {
    const environment = { SVC_API_KEY: 'e', SVC_ANNOTATION_API_KEY: 'ea', SVC_WORKSPACE_API_KEY: 'ew' }
    expect(keys({}, environment)).toEqual(['ea', 'ew'])
    expect(keys({}, { SVC_API_KEY: 'e' })).toEqual(['e', 'e'])
    expect(keys({ apiKey: 'o' }, environment)).toEqual(['o', 'o'])
    expect(keys({ apiKey: 'o', workspaceApiKey: 'ow' }, environment)).toEqual(['o', 'ow'])
  })

  it('treat an empty variable as unset', () => {
    expect(keys({}, { SVC_API_KEY: 'e', SVC_WORKSPACE_API_KEY: '' })).toEqual(['e', 'e'])
    expect(keys({}, { SVC_API_KEY: '' })).toEqual([undefined, undefined])
  })
})

describe('a base URL', () => {
  it('a base URL comes from the environment where the options give none', () => {
    const { annotation, workspace } = resolveOptions({
      environment: { SVC_BASE_URL: 'https://a.test/', SVC_PUBLIC_BASE_URL: '' },
    }).surfaces
    expect(annotation.baseUrl).toBe('https://a.test')
    expect(workspace.baseUrl).toBeUndefined()
  })

  it('keeps its path and loses its trailing slash', () => {
    expect(publicBase('https://svc.test/public/api/v1/')).toBe('https://svc.test/public/api/v1')
  })

  it('a base URL may be plain http only for loopback, or with allowHttp', () => {
    for (const host of ['127.0.0.1:4010', 'localhost', '[::1]:80', '127.8.0.1']) {
      expect(() => publicBase(`http://${host}/v1`)).not.toThrow()
    }
    expect(() => publicBase('http://svc.test')).toThrow(/plain http to svc\.test/)
    expect(() => publicBase('http://127.0.0.1.evil.test')).toThrow(/plain http/)
    expect(() => publicBase('http://api.localhost')).toThrow(/plain http/)
    expect(() => publicBase('http://svc.test', { allowHttp: true })).not.toThrow()
    expect(() => resolveOptions({ baseUrl: 'http://svc.test', environment: {} })).not.toThrow()
  })

  it.each([
    'svc.test',
    'ftp://svc.test',
    'https://user:pass@svc.test',
    'https://svc.test/v1?tenant=1',
    'https://svc.test/v1?',
    'https://svc.test/v1#',
    '',
  ])('a base URL is refused when it is %j', (url) => {
    expect(() => publicBase(url)).toThrow(expect.objectContaining({ name: 'InputError', reason: 'invalid_base_url' }))
  })
})

describe('the version', () => {
  it('the version of the client is that of its package', async () => {
    const manifest = await readFile(new URL('../package.json', import.meta.url), 'utf8')
    expect(JSON.parse(manifest).version).toBe(version)
  })
})

describe('a message about an option', () => {
  const key = 'sk-service-api03-SECRET'

  it('a message about an option never shows a text: it may be a key in the wrong option', () => {
    const names = Object.keys(resolveOptions({ environment: {} })) as string[]
    const options = ['baseUrl', 'publicBaseUrl', 'logLevel', 'cache', 'retry', 'headers', 'hooks']
    const times = ['timeoutMs', 'deadlineMs', 'settleMs', 'maxResponseBytes']
    for (const name of [...options, ...times, ...names, key]) {
      let message = ''
      try {
        resolveOptions({ environment: {}, [name]: key } as ClientOptions)
      } catch (error) {
        message = String(error)
      }
      expect(message).not.toContain('SECRET')
      if (options.includes(name) || times.includes(name)) expect(message).toContain(name)
    }
    for (const field of ['attempts', 'baseMs', 'capMs', 'maxRetryAfterMs'] as const) {
      const refused = () => resolveOptions({ environment: {}, retry: { [field]: key } as object })
      expect(refused).toThrow(new RegExp(`^retry.${field}: expected a number .*, got a text.$`))
    }
    expect(() => resolveOptions({ environment: { SVC_PUBLIC_BASE_URL: key } })).toThrow(/^(?!.*SECRET)/)
  })

  it.each(['localhost:8080', 'svc.example:443/public/api/v1', 'ftp://svc.example', 'svc'])(
    'a base URL that is no URL of http or https is refused with an example: %s',
    (url) => {
      expect(() => publicBase(url)).toThrow('publicBaseUrl is not a URL such as https://svc.example.')
    },
  )
})
