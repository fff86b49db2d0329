/** One kind of credential, known by how it begins. */
export interface Rule {
  /** Its name in messages and JSON. */
  id: string
  /** Searched for inside one long word; the first group is the prefix that may be shown. */
  pattern: RegExp
}

/** A kind of credential that has no form of its own, and is known by the words before it. */
export interface NamedRule {
  id: string
  /** Matches the end of the text before the value. */
  before: RegExp
  value: RegExp
}

/**
 * Each is linear: what comes after a prefix goes on to the end of one class of characters, and what may fail after that
 * cannot begin inside the same stretch.
 */
export const rules: readonly Rule[] = [
  { id: 'service-key', pattern: /(?<![A-Za-z0-9])(sk-(?:service|legacy)-api03-)[\w-]{8,}/g },
  { id: 'anthropic-key', pattern: /(?<![A-Za-z0-9])(sk-ant-)[\w-]{20,}/g },
  {
    id: 'openai-key',
    pattern: /(?<![A-Za-z0-9])(sk-(?:proj-|svcacct-|admin-|or-v1-)(?=[\w-]{20})|sk-(?=[A-Za-z0-9]{32}))[\w-]+/g,
  },
  { id: 'aws-access-key-id', pattern: /(?<![A-Za-z0-9])(AKIA|ASIA)[A-Z2-7]{16}(?![A-Za-z0-9])/g },
  { id: 'google-key', pattern: /(?<![A-Za-z0-9])(AIza(?=[\w-]{35})|ya29\.(?=[\w-]{20})|GOCSPX-(?=[\w-]{20}))[\w-]+/g },
  { id: 'azure-key', pattern: /((?:AccountKey|SharedAccessKey)=)[A-Za-z0-9+/]{40,}/g },
  { id: 'azure-client-secret', pattern: /(?<![\w~.-])([\w~.-]{3}\dQ~)[\w~.-]{31,34}(?![\w~.-])/g },
  {
    id: 'github-token',
    pattern: /(?<![A-Za-z0-9])(gh[pousr]_(?=[A-Za-z0-9]{36})|github_pat_(?=\w{36}))\w+/g,
  },
  { id: 'gitlab-token', pattern: /(?<![A-Za-z0-9])(glpat-)[\w-]{20,}/g },
  { id: 'slack-token', pattern: /(?<![A-Za-z0-9])(xox[abeoprs]-|xapp-\d-)[A-Za-z0-9-]{14,}/g },
  { id: 'slack-webhook', pattern: /(hooks\.slack\.com\/services\/)T\w{6,}\/B\w{6,}\/\w{16,}/g },
  { id: 'stripe-key', pattern: /(?<![A-Za-z0-9])([rs]k_(?:live|test)_|whsec_)[A-Za-z0-9]{16,}/g },
  { id: 'npm-token', pattern: /(?<![A-Za-z0-9])(npm_)[A-Za-z0-9]{36}/g },
  { id: 'hugging-face-token', pattern: /(?<![A-Za-z0-9])(hf_)[A-Za-z0-9]{34}/g },
  { id: 'jwt', pattern: /(?<![\w-])(eyJ)[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{16,}/g },
]

/** What every rule's match holds; a word without it is looked at no further. */
export const marked =
  /sk-|AKIA|ASIA|AIza|ya29|GOCSPX|AccessKey=|AccountKey=|Q~|gh[pousr]_|_pat_|glpat|xox|xapp|slack|_live_|_test_|whsec_|npm_|hf_|eyJ/

export const namedRules: readonly NamedRule[] = [
  {
    id: 'bearer-token',
    before:
      /(?:\b(?:bearer|authorization\W{1,6}(?:basic|token|apikey|jwt))\s{1,4}|(?:access|refresh|id)_?token\W{1,8})$/i,
    value: /^(?=[^\d]*\d)[\w.~+/-]{20,}$/,
  },
  {
    id: 'aws-secret-key',
    before: /(?:aws_?secret(?:_?access)?_?key|secret_?access_?key)\W{1,8}$/i,
    value: /^[A-Za-z0-9+/]{40}$/,
  },
]

/** So far back a named rule looks for its words. */
export const reach = 40
