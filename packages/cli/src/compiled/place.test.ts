import { isAbsolute, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compiledFileOf, isFor } from './place.js'

const home = { HOME: '/home/me' }
const of = (env: Record<string, string>, argv = ['health'], build = 'abc', tag = 35) =>
  compiledFileOf(env, argv, build, () => tag)

describe('the file of compiled code', () => {
  it('stands with what can be made again, by command, build and V8', () => {
    expect(of(home)).toBe(join('/home/me/.cache/svc/compiled/health-abc-z'))
    expect(of({ ...home, XDG_CACHE_HOME: '/var/mine' })).toBe(join('/var/mine/svc/compiled/health-abc-z'))
    expect(of({ ...home, SVC_CACHE_DIR: '/elsewhere' })).toBe(join('/elsewhere/compiled/health-abc-z'))
  })

  it('is that of the first word that can be a command', () => {
    expect(of(home, ['--json', 'projects', 'list'])).toContain('projects-abc-z')
    expect(of(home, ['--config', '../x.json', '-q', 'upload', 'a.json'])).toContain('upload-abc-z')
  })

  it('is none where no command is named, nothing was built, or there is no home', () => {
    expect(of(home, ['--json', '../up', 'A', 'talk.json'])).toBeUndefined()
    expect(of(home, ['health'], '')).toBeUndefined()
    expect(of({})).toBeUndefined()
  })

  it('is none in CI, in a folder below the one that a command is run in, and where Node is told to keep none', () => {
    expect(of({ ...home, CI: 'true' })).toBeUndefined()
    expect(of({ ...home, SVC_CACHE_DIR: '.svc-cache' })).toBeUndefined()
    expect(of({ ...home, NODE_DISABLE_COMPILE_CACHE: '1' })).toBeUndefined()
  })

  it('asks V8 for its flags only where one is kept', () => {
    const never = () => {
      throw new Error('asked')
    }
    expect(compiledFileOf({}, ['health'], 'abc', never)).toBeUndefined()
  })

  it('never leaves its folder, whatever is typed', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (argv) => {
        const file = of(home, argv)
        expect(file === undefined || /^[a-z]+-abc-z$/.test(file.split(/[\\/]/).at(-1) ?? '')).toBe(true)
        expect(file === undefined || isAbsolute(file)).toBe(true)
      }),
    )
  })

  it('is for one V8 with its flags', () => {
    const file = of(home) ?? ''
    expect([isFor(file, 35), isFor(file, 36)]).toEqual([true, false])
  })
})
