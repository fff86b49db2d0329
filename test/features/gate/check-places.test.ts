import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { realIo } from '@svc/cli'
import { describe, expect, it } from 'vitest'
import { zipOf } from '../../../packages/transcripts/test/fixtures/archives.js'
import { conversation, scriptedShell } from '../../helpers/scripted-annotator.js'

interface Log {
  runs: {
    results: {
      ruleId: string
      locations: { physicalLocation: { artifactLocation: { uri: string } } }[]
      partialFingerprints: Record<string, string>
    }[]
  }[]
}

/** A folder with transcripts, plain and packed, in `pr/conversations`. */
function repository() {
  const shell = scriptedShell()
  const conversations = join(shell.cwd, 'pr/conversations')
  mkdirSync(conversations, { recursive: true })
  const text = JSON.stringify(conversation('poor loop'))
  writeFileSync(join(conversations, 'a.json'), text)
  writeFileSync(join(conversations, 'b.json.gz'), gzipSync(text))
  writeFileSync(join(conversations, 'c.zip'), zipOf({ name: 'x/d.json', content: text }))
  return shell
}

/** The files of a process that was started in another folder. */
function filesAt(cwd: string) {
  const signal = new AbortController().signal
  const { resolve, isThere, kindOf, readDirectory, readFile, openFile } = realIo(process, cwd, {
    ...{ signal, onSignal: () => () => {} },
  })
  return { resolve, isThere, kindOf, readDirectory, readFile, openFile }
}

/** The places of the findings, as `file:line`, for GitHub and in SARIF. */
async function placesOf(from: string, path: (cwd: string) => string, isWorkspace: boolean) {
  const shell = repository()
  if (!isWorkspace) mkdirSync(join(shell.cwd, '.git'))
  const argv = ['check', path(shell.cwd), '--annotator', 'structural', '--report', 'github', '--report']
  const { out, err } = await shell.svc([...argv, `sarif=${join(shell.cwd, 'out.sarif')}`], {
    env: { GITHUB_WORKSPACE: isWorkspace ? shell.cwd : undefined },
    io: filesAt(join(shell.cwd, from)),
  })
  const commands = [...out.matchAll(/^::error file=([^,]*),(?:line=(\d+))?/gm)]
  const { runs } = JSON.parse(readFileSync(join(shell.cwd, 'out.sarif'), 'utf8')) as Log
  const found = runs.flatMap(({ results }) => results).filter(({ ruleId }) => ruleId === 'signal/loop')
  return {
    err,
    github: commands.map(([, file, line]) => `${file}:${line ?? ''}`),
    sarif: found.map(({ locations }) => locations?.[0]?.physicalLocation.artifactLocation.uri),
  }
}

describe('findings of svc check stand in files that the repository has', () => {
  it.each([
    ['at its root', '.', () => '.', true],
    ['in a folder of it', 'pr', () => './conversations', true],
    ['in a folder of it, on absolute paths', 'pr', (cwd: string) => join(cwd, 'pr/conversations'), true],
    ['in a folder of it, without a workspace', 'pr/conversations', () => '../conversations', false],
  ] as const)(
    'findings of svc check stand in files that the repository has when it is run %s',
    async (_, from, path, isWorkspace) => {
      const { github, sarif } = await placesOf(from, path, isWorkspace)
      expect(github).toEqual(['pr/conversations/a.json:1', 'pr/conversations/b.json.gz:', 'pr/conversations/c.zip:'])
      expect(sarif).toEqual(['pr/conversations/a.json', 'pr/conversations/b.json.gz', 'pr/conversations/c.zip'])
    },
  )

  it('findings of svc check stand in files that the repository has are distinguished if they are in one archive', async () => {
    const shell = scriptedShell()
    const members = ['d.json', 'e.json'].map((name) => ({ name, content: JSON.stringify(conversation('poor loop')) }))
    writeFileSync(join(shell.cwd, 'c.zip'), zipOf(...members))
    const { out } = await shell.svc(['check', 'c.zip', '--annotator', 'structural', '--report', 'sarif=-'])
    const { runs } = JSON.parse(out) as Log
    const prints = runs.flatMap(({ results }) => results.map((each) => each.partialFingerprints['svcFinding/v1']))
    expect([prints.length, new Set(prints).size]).toEqual([4, 4])
  })
})
