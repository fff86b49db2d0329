import { expect, it } from 'vitest'
import { formatsFolder, readersText } from '../../../packages/transcripts/readers.js'

it('the list of formats holds each format in the folder; `vitest -u` writes it', async () => {
  await expect(readersText()).toMatchFileSnapshot(`${formatsFolder}readers.ts`)
})
