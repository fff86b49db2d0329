import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from './bundle.js'
import { mutants } from './mutants.js'
import { page, rowsOf } from './search-mutants.js'

it('every planted defect still fits its file', () => {
  const misfits = mutants.filter(({ file, from }) => !readFileSync(join(root, file), 'utf8').includes(from))
  expect(misfits).toEqual([])
})

it('the page on the simulator has the seeds that each planted defect needed', () => {
  const named = rowsOf(readFileSync(page, 'utf8')).map(([name, program]) => ({ name, program }))
  expect(named).toEqual(mutants.map(({ name, program = 'uploadAll' }) => ({ name, program: `\`${program}\`` })))
})
