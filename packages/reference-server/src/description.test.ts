import { describe, expect, it } from 'vitest'
import { describe as describeServer } from './description.js'

const served = { baseUrl: 'http://127.0.0.1:4010', publicBaseUrl: 'http://127.0.0.1:4010/public/api/v1' }
const paths = ['/openapi.json', '/openapi.yaml', '/docs']

interface Document {
  servers: { url: string }[]
  paths: Record<string, { servers?: { url: string }[] }>
}

async function textAt(path: string, bases = served): Promise<string> {
  const found = await describeServer(path, bases)
  return found?.text ?? ''
}
const documentFor = async (bases: typeof served): Promise<Document> => JSON.parse(await textAt('/openapi.json', bases))

describe('the interface description', () => {
  it.each([
    ['/openapi.json', 'application/json', '{"openapi":"3.1.0"'],
    ['/openapi.yaml', 'application/yaml', 'openapi: 3.1.0'],
    ['/docs', 'text/html; charset=utf-8', '<!doctype html>'],
  ])('at %s is %s', async (path, contentType, start) => {
    const found = await describeServer(path, served)
    expect(found?.contentType).toBe(contentType)
    expect(found?.text.startsWith(start)).toBe(true)
  })

  it.each(['/', '/docs/', '/openapi', '/health', 'constructor', ''])('is not at %j', async (path) => {
    expect(await describeServer(path, served)).toBeUndefined()
  })

  it('names one server where the workspace surface stands under the annotation surface', async () => {
    const document = await documentFor({ baseUrl: 'http://svc.test/a/', publicBaseUrl: 'http://svc.test/a/pub' })
    expect(document.servers).toEqual([{ url: 'http://svc.test/a' }])
    expect(Object.keys(document.paths)).toEqual(expect.arrayContaining(['/health', '/v1/annotations', '/pub/projects']))
    expect(Object.values(document.paths).filter(({ servers }) => servers)).toEqual([])
  })

  it.each([
    ['on another host', 'http://two.test/pub', 'http://two.test', '/pub/projects'],
    ['on another host without a path', 'http://two.test', 'http://two.test', '/projects'],
    ['beside the annotation surface', 'http://svc.test/ab', 'http://svc.test', '/ab/projects'],
  ])('names the server of the workspace surface %s', async (_, publicBaseUrl, url, path) => {
    const document = await documentFor({ baseUrl: 'http://svc.test/a', publicBaseUrl })
    expect(document.servers).toEqual([{ url: 'http://svc.test/a' }])
    expect(document.paths[path]?.servers).toEqual([{ url }])
    expect(document.paths['/health']?.servers).toBeUndefined()
  })

  it.each(paths)('at %s leaves no base open', async (path) => {
    for (const publicBaseUrl of [served.publicBaseUrl, 'http://two.test/pub']) {
      const text = await textAt(path, { ...served, publicBaseUrl })
      expect(text).toContain(served.baseUrl)
      expect(text).not.toMatch(/%[A-Z_]+%/)
    }
  })

  it('reads a base that looks like an open one as what it is', async () => {
    const document = await documentFor({ ...served, baseUrl: 'http://svc.test/%WORKSPACE_PREFIX%' })
    expect(document.servers).toEqual([{ url: 'http://svc.test/%WORKSPACE_PREFIX%' }])
  })

  it('lets no base break out of the page', async () => {
    const base = `http://svc.test/a&b'c`
    const text = await textAt('/docs', { baseUrl: base, publicBaseUrl: `${base}/pub` })
    expect(text).toContain('http://svc.test/a&#38;b&#39;c')
    expect(text).not.toContain(base)
  })
})
