import { writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { parseStream } from '@svc/transcripts'
import { ContainerError, type ContainerLimits, openBytes, openStream } from '@svc/transcripts/containers'
import { describe, expect, it } from 'vitest'
import { deflatedBlanks, zipOf, zstdOf, zstdOfBlanks } from '../../../packages/transcripts/test/fixtures/archives.js'
import { expectLinear } from '../../helpers/linear.js'
import { createShell } from '../../helpers/run-cli.js'

const conversation = (content: string) => JSON.stringify({ name: 'n', turns: [{ role: 'user', content }] })
const member = (name: string, content: string | Uint8Array) => ({ name, content, method: 8 })

/** The first turn of each transcript of an archive, after the name of its file; or the reason why the archive is refused. */
async function read(bytes: Uint8Array, limits?: ContainerLimits): Promise<string[] | string> {
  const said: string[] = []
  try {
    for (const file of (await openBytes(bytes, limits)).files) {
      for await (const { turns } of parseStream(file.chunks())) said.push(`${file.member}: ${turns[0]?.content}`)
    }
  } catch (error) {
    if (error instanceof ContainerError) return error.message
    throw error
  }
  return said
}

/** An archive in an archive, and so on. */
function nested(depth: number): Uint8Array {
  const inner = zipOf(member('a.json', conversation('Hi')))
  return depth === 1 ? inner : zipOf(member(`${depth}.zip`, nested(depth - 1)))
}

/** The reason why an archive is refused, of which nothing is parsed. */
async function refusalOf(bytes: Uint8Array): Promise<string | undefined> {
  try {
    for (const file of (await openBytes(bytes)).files) for await (const _ of file.chunks());
  } catch (error) {
    if (error instanceof ContainerError) return error.message
    throw error
  }
  return undefined
}

const whatToDo = 'if you trust it, unpack it first and name the folder'

it('reads members of one name that an archive holds twice', async () => {
  const twice = (name: string) => zipOf(member(name, conversation('One')), member(name, conversation('Two')))
  expect(await read(twice('a.json'))).toEqual(['a.json: One', 'a.json (2): Two'])
  const inner = member('b.zip', twice('a.json'))
  expect(await read(zipOf(inner, inner))).toEqual([
    'b.zip/a.json: One',
    'b.zip/a.json (2): Two',
    'b.zip (2)/a.json: One',
    'b.zip (2)/a.json (2): Two',
  ])
})

it('reads both lists of conversations of an export that holds two of one name', async () => {
  const chat = (id: string) => [{ uuid: id, name: id, chat_messages: [{ uuid: id, sender: 'human', text: id }] }]
  const list = (id: string) => member('conversations.json', JSON.stringify(chat(id)))
  const [file] = (await openBytes(zipOf(list('one'), list('two')))).files
  const found: unknown[] = []
  for await (const { name, place } of parseStream(file?.chunks() ?? [])) found.push([name, place.member])
  expect(found).toEqual([
    ['one', 'conversations.json'],
    ['two', 'conversations.json (2)'],
  ])
})

it('takes each Codex log of an archive for a session of its own', async () => {
  const log = JSON.stringify({ type: 'response_item', payload: { type: 'message', role: 'user', content: 'Hi' } })
  const found: unknown[] = []
  const chunks = [{ member: 'a.jsonl' }, log, { member: 'b.jsonl' }, log]
  for await (const { place, turns } of parseStream(chunks)) found.push([place.member, turns.length])
  expect(found).toEqual([
    ['a.jsonl', 1],
    ['b.jsonl', 1],
  ])
})

describe('an archive of archives', () => {
  it('an archive of archives is read up to three deep, and refused beyond', async () => {
    expect(await read(nested(3))).toEqual(['3.zip/2.zip/a.json: Hi'])
    expect(await read(nested(4))).toBe(
      `the zip archive holds "2.zip", an archive more than 3 deep (maxDepth); ${whatToDo}`,
    )
    expect(await read(nested(2), { maxDepth: 1 })).toMatch(/"2.zip", an archive more than 1 deep \(maxDepth\)/)
    expect(await read(nested(5), { maxDepth: 5 })).toEqual(['5.zip/4.zip/3.zip/2.zip/a.json: Hi'])
  })

  it('an archive of archives is refused before it is unpacked where its members together are too much', async () => {
    // Each of them alone is within every bound: 60 MB from 60 kB.
    const packed = deflatedBlanks(60)
    const bomb = zipOf({ name: 'a.json', content: '', method: 8, packed, size: 60 << 20 })
    const bombs = Array.from({ length: 100 }, (_, index) => ({ name: `${index}.zip`, content: bomb }))
    expect(await read(zipOf(...bombs))).toBe(
      `the zip archive unpacks to more than 200 times its size (maxRatio), as no transcript does; ${whatToDo}`,
    )
  })

  it('names in svc convert the archive, the bound and what to do', async () => {
    const { svc, cwd } = createShell()
    writeFileSync(`${cwd}/four.zip`, nested(4))
    const { code, out, err } = await svc(['convert', 'four.zip'])
    expect([code, out]).toEqual([3, ''])
    expect(err).toContain(
      `four.zip:1:1 the zip archive holds "2.zip", an archive more than 3 deep (maxDepth); ${whatToDo}`,
    )
  })

  it('takes work that grows with its size, however many members are in one of its archives', async () => {
    const words = 'The order has not arrived yet. '.repeat(1_500)
    await expectLinear((count) => {
      const conversations = Array.from({ length: count }, (_, index) => ({
        name: `${index}.json`,
        content: conversation(`${index} ${words}`),
      }))
      const bytes = zipOf(
        member('a.zip', zipOf(...conversations)),
        member('b.zip', zipOf(member('b.json', conversation('Hi')))),
      )
      return async () => expect(await read(bytes)).toHaveLength(count + 1)
    }, 50)
  })

  it('leaves out an archive without transcripts, and names it', async () => {
    const bytes = zipOf(member('a.json', conversation('Hi')), member('b.zip', zipOf(member('photo.png', ''))))
    const opened = await openBytes(bytes)
    expect([opened.files.map((file) => file.member), opened.left]).toEqual([['a.json'], ['b.zip']])
  })
})

it.each([
  ['gzip', gzipSync(Buffer.alloc(65 << 20, ' '))],
  ['zstd', zstdOfBlanks(600)],
])('a %s file that unpacks to 200 times its size is refused before it is whole', async (packing, bytes) => {
  expect(await refusalOf(bytes)).toBe(
    `the ${packing} file unpacks to more than 200 times its size (maxRatio), as no transcript does; ${whatToDo}`,
  )
})

describe('a bound of an archive', () => {
  const two = zipOf(member('a.json', conversation('Hi')), member('b.zip', zipOf(member('c.json', conversation('Ho')))))

  it('counts the members of all archives in it', async () => {
    expect(await read(two, { maxMembers: 3 })).toHaveLength(2)
    expect(await read(two, { maxMembers: 2 })).toBe(
      `the zip archive holds more than 2 members (maxMembers); ${whatToDo}`,
    )
  })

  it('counts the bytes of all archives in it, and of members that are packed themselves', async () => {
    const once = conversation('Hi').length
    expect(
      await read(zipOf(member('a.json', conversation('Hi')), member('b.json', conversation('Ho'))), {
        maxUnpackedBytes: 2 * once,
      }),
    ).toHaveLength(2)
    for (const archive of [
      zipOf(member('a.json', conversation('Hi')), member('b.json', conversation('Ho'))),
      two,
      zipOf(member('a.json.gz', gzipSync(conversation('Hi'.repeat(200))))),
      zipOf(member('a.json.zst', zstdOf(conversation('Hi'.repeat(200))))),
    ]) {
      expect(await read(archive, { maxUnpackedBytes: 2 * once - 1 })).toBe(
        `the zip archive unpacks to more than ${2 * once - 1} bytes (maxUnpackedBytes); ${whatToDo}`,
      )
    }
  })

  it('counts the bytes of a file that is packed alone, also of one that comes as a stream', async () => {
    expect(await read(gzipSync(conversation('Hi')), { maxUnpackedBytes: 10 })).toMatch(
      /^the gzip file unpacks to more than 10 bytes/,
    )
    expect(await read(zstdOf(conversation('Hi')), { maxUnpackedBytes: 10 })).toMatch(
      /^the zstd file unpacks to more than 10 bytes/,
    )
    async function* stream() {
      yield gzipSync(conversation('Hi'))
    }
    const [file] = (await openStream(stream(), undefined, { maxUnpackedBytes: 10 })).files
    await expect(parseStream(file?.chunks() ?? []).next()).rejects.toThrow(/maxUnpackedBytes/)
  })

  it('holds for an archive that would be held in memory', async () => {
    expect(await read(two, { maxInnerBytes: 10 })).toBe(
      `the zip archive holds "b.zip", an archive of more than 10 bytes (maxInnerBytes); ${whatToDo}`,
    )
  })

  it('does not count losses of a second reading', async () => {
    const [file] = (
      await openBytes(gzipSync(conversation('Hi')), { maxUnpackedBytes: 2 * conversation('Hi').length - 1 })
    ).files
    for (let time = 0; time < 3; time++) {
      for await (const { turns } of parseStream(file?.chunks() ?? [])) expect(turns[0]?.content).toBe('Hi')
    }
    const archive = zipOf(member('a.json.gz', gzipSync(conversation('Hi'))))
    const limits = { maxUnpackedBytes: gzipSync(conversation('Hi')).length + conversation('Hi').length }
    const [inside] = (await openBytes(archive, limits)).files
    for (let time = 0; time < 3; time++)
      for await (const _ of parseStream(inside?.chunks() ?? [])) expect(_).toBeDefined()
  })
})
