import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { askedHelp } from './asked-help.js'
import { helpWidth } from './help-width.js'

const folder = mkdtempSync(join(tmpdir(), 'svc-help-'))
const terminal = (columns: number) => () => ({ isTTY: true, columns, write: () => true })
const asked = (argv: string[], columns = helpWidth) => askedHelp(argv, folder, terminal(columns))

afterEach(() => rmSync(join(folder, 'help.json'), { force: true }))

describe('Help that was prepared', () => {
  it('is printed where it has the room that it was drawn for', () => {
    writeFileSync(join(folder, 'help.json'), JSON.stringify({ 'projects list': 'List projects.\n' }))
    expect(asked(['projects', 'list', '--help'])).toBe('List projects.\n')
    expect(asked(['projects', 'list', '-h'])).toBe('List projects.\n')
    expect(asked(['projects', 'list', '--help'], 40)).toBeUndefined()
  })

  it('is left to the parser for words that name no command, also those that every object knows', () => {
    writeFileSync(join(folder, 'help.json'), '{}')
    for (const word of ['nothing', 'constructor', '__proto__']) expect(asked([word, '--help'])).toBeUndefined()
  })

  it('is left to the parser where its file is missing or damaged', () => {
    expect(asked(['--help'])).toBeUndefined()
    writeFileSync(join(folder, 'help.json'), '{"": "Upl')
    expect(asked(['--help'])).toBeUndefined()
  })
})
