import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from './bundle.js'
import { mutants } from './mutants.js'

it('every planted defect still fits its file', () => {
  const misfits = mutants.filter(({ file, from }) => !readFileSync(join(root, file), 'utf8').includes(from))
  expect(misfits).toEqual([])
})
