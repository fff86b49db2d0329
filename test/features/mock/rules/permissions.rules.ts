import { expect } from 'chai'
import { anAnnotation, newProject, newTranscript, onA, onB, read, refusedOnB, someAnnotator } from './asking-fixture.js'
import type { Rule } from './rule.js'

const source = 'Authentication › Surface B'

export const rules: readonly Rule[] = [
  {
    name: 'a project that its key may not create is in no list',
    source,
    async run({ ask, keys: { reader } }) {
      refusedOnB(await ask(onB('/projects', { key: reader, body: { name: 'P' } })), 403)
      expect(await read({ ask }, '/projects')).to.deep.equal([])
    },
  },
  {
    name: 'a new key may hold halfpipe-transcripts-write, and a legacy key projects-write',
    source,
    async run({ ask, server }) {
      const newer = server.world.createKey({
        key: 'sk-service-api03-n',
        workspace: 'reference',
        permissions: ['halfpipe-transcripts-write'],
      })
      const older = server.world.createKey({
        key: 'sk-legacy-api03-o',
        workspace: 'reference',
        permissions: ['projects-write'],
      })
      for (const { key } of [newer, older]) {
        const project = await newProject({ ask }, key)
        await newTranscript({ ask }, project.id, {}, key)
        refusedOnB(await ask(onB('/projects', { key })), 403)
      }
    },
  },
  {
    name: 'a key may hold both permissions, or the legacy one and projects-read',
    source,
    async run({ ask, server }) {
      for (const write of ['projects-write', 'halfpipe-transcripts-write'] as const) {
        const { key } = server.world.createKey({ workspace: 'reference', permissions: ['projects-read', write] })
        const project = await newProject({ ask }, key)
        const transcript = await newTranscript({ ask }, project.id, {}, key)
        expect(await read({ ask }, `/transcripts/${transcript.id}`, key)).to.include({ id: transcript.id })
      }
    },
  },
  {
    name: 'the annotation surface asks for no permission',
    source: 'ambiguity: permissions on surface A (the interface names none)',
    async run({ ask, keys: { reader, writer, legacy } }) {
      const annotator = await someAnnotator({ ask })
      for (const key of [reader, writer, legacy]) {
        expect((await ask(onA('/v1/annotators', { key }))).status).to.equal(200)
        expect((await ask(onA('/v1/annotations', { key, body: anAnnotation(annotator) }))).status).to.equal(200)
        expect((await ask(onA('/v1/batches/b1', { key }))).status).to.equal(501)
      }
    },
  },
]
