import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { calm } from '../../helpers/conversations.js'
import { scriptedShell } from '../../helpers/scripted-annotator.js'

const modeOf = (path: string) => statSync(path).mode & 0o777

describe('the permissions of files that svc writes', () => {
  it('close every report to other users, in each form, with turns and without, also one that was open', async () => {
    const shell = scriptedShell()
    const forms = ['json', 'junit', 'sarif', 'gitlab', 'md', 'html']
    const names = forms.flatMap((form) => [`new.${form}`, `old.${form}`])
    for (const form of forms) {
      writeFileSync(join(shell.cwd, `old.${form}`), '')
      chmodSync(join(shell.cwd, `old.${form}`), 0o644)
    }
    const reports = names.flatMap((name) => ['--report', `${name.slice('new.'.length)}=${name}`])
    for (const more of [[], ['--with-turns']]) {
      await shell.check(['strong'], [...more, ...reports])
      for (const name of names) expect([name, modeOf(join(shell.cwd, name))]).toEqual([name, 0o600])
    }
  })

  it('close the reports of a merge, a comparison and a run that ends early', async () => {
    const shell = scriptedShell()
    await shell.check(['strong'], ['--report', 'json=a.json', '--report', 'json=b.json'])
    await shell.svc(['report', 'merge', 'a.json', '--report', 'html=merged.html'])
    await shell.svc(['report', 'compare', 'a.json', 'b.json', '--report', 'md=compared.md'])
    await shell.svc(['check', 'nowhere', '--annotator', 'structural', '--report', 'junit=early.xml'])
    for (const name of ['merged.html', 'compared.md', 'early.xml'])
      expect([name, modeOf(join(shell.cwd, name))]).toEqual([name, 0o600])
  })

  it('stay those of a baseline and of converted transcripts that only their user can read', async () => {
    const shell = scriptedShell()
    for (const name of ['base.json', 'out.jsonl']) writeFileSync(join(shell.cwd, name), '', { mode: 0o600 })
    writeFileSync(join(shell.cwd, 'base.json'), '')
    await shell.svc(['convert', 'calm.json', '--to', 'upload', '--out', 'out.jsonl', '--force'], {
      files: { 'calm.json': calm },
    })
    expect(readFileSync(join(shell.cwd, 'out.jsonl'), 'utf8')).toContain('Paris.')
    await shell.check(['strong'], ['--baseline', 'new.json', '--update-baseline'])
    chmodSync(join(shell.cwd, 'new.json'), 0o600)
    await shell.check(['mixed'], ['--baseline', 'new.json', '--update-baseline'])
    expect([modeOf(join(shell.cwd, 'out.jsonl')), modeOf(join(shell.cwd, 'new.json'))]).toEqual([0o600, 0o600])
  })
})

/** A folder like /tmp, with a link in it that leads to a file of the user, and one that leads to a folder of his. */
function sharedFolder() {
  const shell = scriptedShell()
  const shared = join(shell.cwd, 'shared')
  const own = join(shell.cwd, 'own/file')
  mkdirSync(shared)
  chmodSync(shared, 0o1777)
  mkdirSync(dirname(own))
  writeFileSync(own, 'mine')
  symlinkSync('../own/file', join(shared, 'link'))
  symlinkSync('../own/missing', join(shared, 'dangling'))
  symlinkSync('../own', join(shared, 'folder'))
  const isUntouched = () =>
    readFileSync(own, 'utf8') === 'mine' && !existsSync(join(shell.cwd, 'own/missing')) && !existsSync(`${own}.md`)
  return { ...shell, shared, isUntouched }
}

const notFollowed = 'a link in a folder that others can write to is not followed'

describe('a link in a sticky folder that others can write to', () => {
  it.each(['link', 'dangling', 'folder/file', 'folder/file.md'])(
    'a report to shared/%s follows no link in a sticky folder that others can write to, and asks nothing',
    async (name) => {
      const shell = sharedFolder()
      const { code, err } = await shell.check(['strong'], ['--report', `md=shared/${name}`])
      expect([code, shell.asked, shell.isUntouched()]).toEqual([3, [], true])
      expect(err).toContain(`shared/${name}: cannot write the report (${notFollowed}).`)
    },
  )

  it('a link in a sticky folder that others can write to is not followed by a link elsewhere that leads there', async () => {
    const shell = sharedFolder()
    symlinkSync('shared/link', join(shell.cwd, 'a.md'))
    const { code, err } = await shell.check(['strong'], ['--report', 'md=a.md'])
    expect([code, err, shell.isUntouched()]).toEqual([3, expect.stringContaining(notFollowed), true])
  })

  it('a link in a sticky folder that others can write to is not followed by a baseline, by --out and by --rejects', async () => {
    const shell = sharedFolder()
    const baseline = await shell.check(['strong'], ['--baseline', 'shared/link', '--update-baseline', '--no-policy'])
    expect(baseline.code).toBe(3)
    const files = { 'calm.json': calm, 'bad.jsonl': `${calm}\n{"messages": []}\n` }
    const out = await shell.svc(['convert', 'calm.json', '--to', 'upload', '--out', 'shared/link', '--force'], {
      files,
    })
    expect([out.code, out.err]).toEqual([3, expect.stringContaining(notFollowed)])
    const argv = ['upload', 'bad.jsonl', '--continue-on-invalid', '--rejects', 'shared/link']
    const rejects = await shell.clock.until(shell.svc(argv, { files }))
    expect([rejects.code, rejects.err]).toEqual([3, expect.stringContaining(notFollowed)])
    expect(shell.isUntouched()).toBe(true)
  })

  it('a link in a sticky folder that others can write to is no reason against a file of its own there', async () => {
    const shell = sharedFolder()
    const { code } = await shell.check(['strong'], ['--report', 'md=shared/a.md'])
    expect([code, lstatSync(join(shell.shared, 'a.md')).isFile()]).toEqual([0, true])
  })
})
