import { expect, it } from 'vitest'
import { specs } from '../../../../../test/helpers/conformance.js'
import { annotationOperations, workspaceOperations } from './operations.js'

/** Its path needs no key, or is a question of its own. */
const left = ['GET /health', 'GET /v1/annotators']

it('the contract has a request for every operation of the interface that needs a key', () => {
  const named = Object.values(specs).flatMap((spec) =>
    Object.entries(spec.paths).flatMap(([path, item]) =>
      Object.keys(item)
        .filter((method) => ['get', 'post', 'put', 'patch', 'delete'].includes(method))
        .map((method) => `${method.toUpperCase()} ${path}`),
    ),
  )
  const asked = [...annotationOperations, ...workspaceOperations].map(({ name }) => name)
  expect([...asked, ...left].sort()).toEqual(named.sort())
})
