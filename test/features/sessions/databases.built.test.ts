import { spawnSync } from 'node:child_process'
import { cpSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bin } from '../../helpers/built.js'
import { createShell } from '../../helpers/run-cli.js'
import { writeDatabase } from '../../helpers/sqlite-files.js'

const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_')))

/** An installation of the command alone: nothing beside it, where the repository has libsql. */
function installed(folder: string): string {
  for (const part of ['bin', 'dist', 'package.json'])
    cpSync(join(dirname(bin), '..', part), join(folder, 'alone', part), { recursive: true })
  return join(folder, 'alone/bin/svc.js')
}

describe('a database of sessions', () => {
  const hasSqlite = process.getBuiltinModule?.('node:sqlite' as 'fs') !== undefined

  it('is read if Node has SQLite, and refused with the Node and the package that read it if not', () => {
    const { cwd } = createShell()
    writeDatabase(join(cwd, 'state.db'), [
      'CREATE TABLE sessions (id TEXT, source TEXT, started_at REAL)',
      'CREATE TABLE messages (id INTEGER, session_id TEXT, role TEXT, content TEXT, tool_calls TEXT)',
      "INSERT INTO sessions VALUES ('s-1', 'cli', 1767348000)",
      "INSERT INTO messages VALUES (1, 's-1', 'user', 'Where is it?', NULL)",
    ])
    const { status, stdout, stderr } = spawnSync(process.execPath, [installed(cwd), 'convert', 'state.db'], {
      cwd,
      // A package manager that runs the tests may name its own folder of packages there.
      env: { ...env, NODE_PATH: '' },
      encoding: 'utf8',
    })
    if (hasSqlite) expect([status, stdout]).toEqual([0, expect.stringContaining('Where is it?')])
    else
      expect([status, stderr]).toEqual([
        3,
        expect.stringMatching(
          /^svc: .*\n {2}state\.db:1:1 the database needs SQLite.*Use Node 22\.13 or newer.*npm install libsql/s,
        ),
      ])
  })
})
