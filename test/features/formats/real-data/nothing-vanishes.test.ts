import { join } from 'node:path'
import { parse, TranscriptFileError } from '@svc/transcripts'
import { openFile } from '@svc/transcripts/containers'
import { describe, expect, it } from 'vitest'
import { formatNamed } from '../../../../packages/transcripts/src/formats/index.js'
import { filesIn, folders, reason, titled } from './folder.js'
import { vanishedTexts } from './texts.js'

const paths = folders.flatMap((folder) => filesIn(folder).map((file) => [titled(file)[0], join(folder, file)] as const))

/** The text of a file, of all its members if it is an archive. */
async function contentOf(path: string): Promise<string[]> {
  const texts: string[] = []
  for (const file of (await openFile(path)).files) {
    const decoder = new TextDecoder()
    let text = ''
    for await (const chunk of file.chunks()) {
      if (typeof chunk === 'string') text += chunk
      else if (chunk instanceof Uint8Array) text += decoder.decode(chunk, { stream: true })
      else text += '\n'
    }
    texts.push(text)
  }
  return texts
}

/** The JSON values of a text: the elements of a list, one value, or one on each line. */
function valuesIn(text: string): unknown[] {
  try {
    return [JSON.parse(text)].flat()
  } catch {
    return text.split('\n').flatMap((line) => {
      try {
        return [JSON.parse(line)]
      } catch {
        return []
      }
    })
  }
}

function read(text: string): ReturnType<typeof parse> | undefined {
  try {
    return parse(text, { thinking: true, branches: true, subagents: true })
  } catch (error) {
    if (error instanceof TranscriptFileError) return undefined
    throw error
  }
}

describe.skipIf(paths.length === 0)(`the texts of every real file${reason}`, () => {
  it.each(paths)('keeps every text or names it as a loss: %s', async (_, path) => {
    for (const text of await contentOf(path)) {
      const found = read(text)
      if (found === undefined) continue
      const isSkipped = (_: unknown, index: number) => found.skipped.some(({ record }) => record === index + 1)
      // The lines of a text are marks and texts at once: the importer itself tells which of them nobody read.
      if (formatNamed(found.format).isText) {
        expect(() => parse(text, { strict: true })).not.toThrow()
        continue
      }
      const records = valuesIn(text).filter((value, index) => !isSkipped(value, index))
      const vanished = vanishedTexts(records, found.transcripts)
      expect(vanished.map((each) => `${each.path.join('/')}: ${each.text.slice(0, 200)}`).slice(0, 20)).toEqual([])
    }
  })
})
