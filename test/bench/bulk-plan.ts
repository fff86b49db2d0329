import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bin, settingsIn, talk, withFolder } from './bulk.js'
import { goals } from './goals.js'
import { median } from './measure.js'
import { heading, row } from './page.js'
import { spend } from './programs.js'

/** A dry run over many small files. */
export const benchBulkPlan = (): Promise<void> =>
  withFolder(async (folder) => {
    const talks = join(folder, 'talks')
    for (let directory = 0; directory < 100; directory++) {
      const path = join(talks, `day-${directory}`)
      mkdirSync(path, { recursive: true })
      for (let at = 0; at < 1_000; at++) writeFileSync(join(path, `${at}.json`), talk(`Talk ${directory} ${at}`, 1_000))
    }
    const walls: number[] = []
    for (let round = 0; round < 3; round++) {
      const { wall } = await spend([bin, 'upload', talks, '--dry-run'], settingsIn(folder, 'http://127.0.0.1:9'))
      walls.push(wall / 1_000)
    }
    heading('A dry run over 100 000 files of 1 kB in 100 folders', 'the median of 3 whole processes')
    row('svc upload --dry-run', median(walls), 's', { goal: goals.bulkPlan })
  })
