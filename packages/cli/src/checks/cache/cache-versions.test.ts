import { describe, expect, it } from 'vitest'
import type { Versions } from '../versions.js'
import { createVersions } from './cache-versions.js'

const versions = (annotator_version: string, taxonomy_version = '7'): Versions => ({
  ...{ annotator_version, taxonomy_version },
})

/** Versions of a run that began with 1, where the registry lists others when it is asked again. */
function known(later: () => Promise<Versions | undefined>) {
  const said: string[] = []
  let asked = 0
  const relist = () => {
    asked++
    return later()
  }
  const all = createVersions(versions('1'), relist, (line) => said.push(line))
  return { ...all, said, asked: () => asked }
}

describe('the versions of an annotator', () => {
  it('are those of the registry, which is not asked again while answers agree', async () => {
    const { admit, at, asked } = known(async () => versions('2'))
    expect([await admit(versions('1')), at(), asked()]).toEqual([true, versions('1'), 0])
  })

  it('are asked for once more when an answer has others, however many answers have them', async () => {
    const { admit, at, asked, said } = known(async () => versions('2'))
    expect(await Promise.all([admit(versions('2')), admit(versions('2')), admit(versions('2'))])).toEqual([
      ...[true, true, true],
    ])
    expect([at(), asked(), said]).toEqual([versions('2'), 1, []])
  })

  it('let an answer be kept that was asked for before they changed', async () => {
    const { admit, said } = known(async () => versions('2'))
    expect([await admit(versions('2')), await admit(versions('1')), said]).toEqual([true, true, []])
  })

  it('that an answer alone has are said once, and it is not kept', async () => {
    const { admit, asked, said } = known(async () => versions('1'))
    const answers = [versions('1', '8'), versions('3\u001b[2J'), versions('1', '8')]
    expect(await Promise.all(answers.map(admit))).toEqual([false, false, false])
    expect(asked()).toBe(1)
    expect(said).toEqual([
      'answers are of annotator version 1, taxonomy version 8, and the registry lists annotator version 1, taxonomy version 7: such answers are not cached',
    ])
  })

  it('stay what they were where the registry cannot be asked again, or does not have the annotator any more', async () => {
    for (const later of [() => Promise.reject(new Error('gone')), async () => undefined]) {
      const { admit, at, said } = known(later)
      expect([await admit(versions('2')), await admit(versions('1')), at()]).toEqual([false, true, versions('1')])
      expect(said).toHaveLength(1)
    }
  })
})
