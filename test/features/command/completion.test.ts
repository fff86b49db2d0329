import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildProgram, type Io } from '@svc/cli'
import { beforeAll, describe, expect, it } from 'vitest'
import { createShell } from '../../helpers/run-cli.js'

const shells = ['bash', 'zsh', 'fish', 'pwsh'] as const
type Shell = (typeof shells)[number]
const isThere = (shell: Shell) => spawnSync(shell, ['--version'], { stdio: 'ignore' }).error === undefined
const scripts = {} as Record<Shell, string>
beforeAll(async () => {
  for (const shell of shells) {
    const { code, out, err } = await createShell().svc(['completion', shell])
    expect([code, err]).toEqual([0, ''])
    scripts[shell] = out
  }
})

type Command = Awaited<ReturnType<typeof buildProgram>>
const all = (command: Command): Command[] => [command, ...command.commands.flatMap(all)]
const commands = all(await buildProgram({} as Io, () => {}))

describe('svc completion', () => {
  it('svc completion contains every command, flag and value', () => {
    for (const shell of shells) {
      for (const command of commands) {
        expect(scripts[shell]).toContain(command.name())
        for (const { long = '' } of command.options.filter(({ hidden }) => !hidden))
          expect(scripts[shell]).toContain(shell === 'fish' ? long.slice(2) : long)
      }
    }
  })

  it('starts no process when Tab is pressed', () => {
    for (const shell of shells)
      expect(scripts[shell].replace(/^.*-CommandName svc.*$/m, '')).not.toMatch(/[`(&|]\s*(svc|node)\s/)
  })

  it('offers no value that a shell would interpret', () => {
    const offered = {
      bash: /_svc_words '(.*?)'/g,
      zsh: /compadd -- (.*?);/g,
      fish: / -a '([^(].*?)'/g,
      pwsh: /@\((.*?)\)/g,
    }
    for (const shell of shells) {
      const values = [...scripts[shell].matchAll(offered[shell])].map(([, words]) => words)
      expect(values.length).toBeGreaterThan(10)
      for (const words of values) expect(words).not.toMatch(/["`^\\]/)
    }
  })

  it('refuses a shell that it does not know, and says which it does', async () => {
    const { code, err } = await createShell().svc(['completion', 'csh'])
    expect(code).toBe(2)
    expect(err).toContain('bash, zsh, fish, pwsh')
  })
})

/** Lines, and the completions that Tab offers at their end. */
const cases: [typed: string, offered: string[] | RegExp][] = [
  ['svc proj', ['projects']],
  ['svc projects ', ['list', 'get', 'create']],
  ['svc projects l', ['list']],
  ['svc --quiet projects ', ['list', 'get', 'create']],
  ['svc --profile projects tra', ['transcripts']],
  ['svc projects create --domain ', ['general', 'ai_coding']],
  ['svc projects create --dom', ['--domain']],
  ['svc check --fail-on cr', ['critical']],
  ['svc health --colo', ['--color']],
  ['svc health --color a', ['auto', 'always']],
  ['svc completion ', ['bash', 'zsh', 'fish', 'pwsh']],
  ['svc api PA', ['PATCH']],
  ['svc config set pu', ['publicBaseUrl']],
  ['svc config get pro', ['profile', 'project']],
  ['svc explain rate', ['rate_limited']],
  ['svc explain Amb', ['AmbiguousWriteError']],
  ['svc upload conv', ['conversations']],
  ['svc upload --ledger conv', ['conversations']],
  ['svc upload conversations conversations/a', ['conversations/a.json']],
  ['svc projects get ta', []],
  ['svc projects list --limit ', []],
  ['svc api GET ta', []],
]

const folder = (): string => {
  const { cwd } = createShell()
  mkdirSync(join(cwd, 'conversations'))
  writeFileSync(join(cwd, 'conversations/a.json'), '[]')
  return cwd
}

describe('the script for bash', () => {
  const offered = (words: string[]): string[] => {
    const line = `${scripts.bash}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')})
COMP_CWORD=${words.length - 1}
_svc
printf '%s\\n' "\${COMPREPLY[@]}"`
    return execFileSync('bash', ['--norc', '-c', line], { cwd: folder(), encoding: 'utf8' }).split('\n').filter(Boolean)
  }

  it.each(cases)('offers after %j what can follow', (typed, expected) => {
    expect(offered(typed.split(' ')).sort()).toEqual([...(expected as string[])].sort())
  })

  it('knows the value behind an equals sign, of which bash makes a word', () => {
    expect(offered(['svc', 'health', '--color', '=', 'al'])).toEqual(['always'])
    expect(offered(['svc', 'health', '--color', '='])).toEqual(['auto', 'always', 'never'])
    expect(offered(['svc', '--profile', '=', 'projects', 'conv'])).toEqual(['convert'])
  })
})

const hasFish = isThere('fish')
describe.skipIf(!hasFish)(`the script for fish${hasFish ? '' : ' (skipped: fish is not installed)'}`, () => {
  it.each(cases)('offers after %j what can follow', (typed, expected) => {
    const script = `${scripts.fish}\ncomplete -C'${typed}'`
    const env = { ...process.env, HOME: folder() }
    const { stdout: out, stderr } = spawnSync('fish', ['--no-config', '-c', script], {
      cwd: env.HOME,
      env,
      encoding: 'utf8',
    })
    expect(stderr).toBe('')
    const words = out
      .split('\n')
      .filter(Boolean)
      .map((line) => line.split('\t')[0]?.replace(/\/$/, ''))
    expect(words.sort()).toEqual([...(expected as string[])].sort())
  })
})

const hasZsh = isThere('zsh')
describe.skipIf(!hasZsh)(`the script for zsh${hasZsh ? '' : ' (skipped: zsh is not installed)'}`, () => {
  it('is one that zsh can read', () => {
    const cwd = folder()
    writeFileSync(join(cwd, '_svc'), scripts.zsh)
    expect(spawnSync('zsh', ['-n', '_svc'], { cwd, encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' })
  })
})

describe('the scripts for shells that may not be here', () => {
  it.each(['zsh', 'fish', 'pwsh'] as const)(
    'the scripts for shells that may not be here have the parts that %s needs for a command',
    (shell) => {
      const lines = scripts[shell].split('\n')
      const at = { zsh: /^\s+' completion'\)$/, fish: /__svc_at ' completion'/, pwsh: /^ +'completion' = / }[shell]
      const from = lines.findIndex((line) => at.test(line))
      const part =
        shell === 'fish' ? lines.filter((line) => at.test(line)) : lines.slice(from, from + (shell === 'zsh' ? 12 : 1))
      expect(part.join('\n')).toMatchSnapshot()
    },
  )
})
