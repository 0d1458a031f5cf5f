// Renders the server's OpenAPI document. All values are inserted as text, never as markup.

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

const element = (name, attributes = {}, ...children) => {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value) node.setAttribute(key, value);
  }
  node.append(...children);
  return node;
};

/** Renders text between backticks as code. */
const prose = (text = '') =>
  text.split('`').map((part, index) => (index % 2 === 1 ? element('code', {}, part) : part));

const nameOf = (reference) => reference.split('/').pop();
const schemaId = (name) => `schema-${name}`;

/** Returns a type in one line, with links to the schemas it refers to. */
function typeOf(schema) {
  if (!schema) return ['any'];
  if (schema.$ref) {
    const name = nameOf(schema.$ref);
    return [element('a', { href: `#${schemaId(name)}` }, name)];
  }
  if (schema.enum) return [schema.enum.map((value) => JSON.stringify(value)).join(' | ')];
  for (const key of ['oneOf', 'anyOf']) if (schema[key]) return joined(schema[key], ' | ');
  if (schema.allOf) return joined(schema.allOf, ' & ');
  if (schema.properties) return [`{ ${Object.keys(schema.properties).join(', ')} }`];
  const types = [schema.type ?? 'any'].flat();
  if (types.includes('array')) return ['[', ...typeOf(schema.items), ']', types.includes('null') ? ' | null' : ''];
  if (types.includes('object') && schema.additionalProperties) {
    return ['{ name: ', ...typeOf(schema.additionalProperties), ' }'];
  }
  return [types.join(' | ') + limitsOf(schema)];
}

const joined = (schemas, separator) =>
  schemas.flatMap((schema, index) => (index === 0 ? typeOf(schema) : [separator, ...typeOf(schema)]));

function limitsOf({ format, minimum, maximum, minLength, maxLength, pattern }) {
  const limits = [
    format,
    minimum !== undefined && `≥ ${minimum}`,
    maximum !== undefined && `≤ ${maximum}`,
    minLength !== undefined && `≥ ${minLength} characters`,
    maxLength !== undefined && `≤ ${maxLength} characters`,
    pattern && `/${pattern}/`,
  ];
  const present = limits.filter(Boolean);
  return present.length > 0 ? ` (${present.join(', ')})` : '';
}

const row = (name, type, text, required) =>
  element(
    'tr',
    {},
    element('td', { class: required ? 'required' : '' }, element('code', {}, name)),
    element('td', { class: 'type' }, ...type),
    element('td', {}, ...prose(text)),
  );

function section(title, rows) {
  if (rows.length === 0) return [];
  return [element('section', {}, element('h4', {}, title), element('table', {}, ...rows))];
}

function operationArticle({ path, method, operation }) {
  const parameters = (operation.parameters ?? []).map((parameter) =>
    row(`${parameter.name} (${parameter.in})`, typeOf(parameter.schema), parameter.description, parameter.required),
  );
  const bodies = Object.entries(operation.requestBody?.content ?? {}).map(([kind, { schema }]) =>
    row(kind, typeOf(schema), operation.requestBody.description, operation.requestBody.required),
  );
  const responses = Object.entries(operation.responses ?? {}).map(([status, response]) => {
    const schema = Object.values(response.content ?? {})[0]?.schema;
    return row(status, schema ? typeOf(schema) : ['no content'], response.description);
  });
  return element(
    'article',
    { id: operation.operationId },
    element(
      'h3',
      {},
      element('span', { class: `method ${method}` }, method),
      element('a', { class: 'path', href: `#${operation.operationId}` }, path),
    ),
    element('p', {}, ...prose([operation.summary, operation.description].filter(Boolean).join(' '))),
    ...section('Parameters', parameters),
    ...section('Body', bodies),
    ...section('Responses', responses),
  );
}

const partsOf = (schema) => [schema, ...(schema.allOf ?? [])];

/** Returns the fields of a schema, including those of its parts and of nested objects. */
function fieldsOf(schema, prefix = '') {
  return partsOf(schema).flatMap((part) =>
    Object.entries(part.properties ?? {}).flatMap(([name, field]) => [
      row(prefix + name, typeOf(field), field.description, part.required?.includes(name)),
      ...fieldsOf(field, `${prefix}${name}.`),
    ]),
  );
}

/** Returns the alternatives of a schema, each named by the value of its field `type`. */
function variantsOf(schema) {
  return (schema.oneOf ?? []).map((variant) => {
    const type = partsOf(variant).find((part) => part.properties?.type?.enum)?.properties.type.enum[0];
    return row(type ?? '', typeOf(variant), variant.description);
  });
}

function schemaArticle([name, schema]) {
  const included = (schema.allOf ?? []).filter((part) => part.$ref);
  const fields = fieldsOf(schema);
  const variants = variantsOf(schema);
  const includes = included.length > 0 ? ['Includes all fields of ', ...joined(included, ', '), '. '] : [];
  const shape = fields.length + variants.length === 0 ? typeOf(schema) : [];
  return element(
    'article',
    { id: schemaId(name) },
    element('h3', {}, element('a', { class: 'path', href: `#${schemaId(name)}` }, name)),
    element('p', {}, ...includes, ...prose(schema.description), ' ', element('span', { class: 'type' }, ...shape)),
    ...section('Fields', fields),
    ...section('One of', variants),
  );
}

function operationsByTag(api) {
  const tags = new Map();
  for (const [path, item] of Object.entries(api.paths)) {
    for (const method of METHODS.filter((name) => item[name])) {
      const operation = item[method];
      const tag = operation.tags?.[0] ?? 'other';
      tags.set(tag, [...(tags.get(tag) ?? []), { path, method, operation }]);
    }
  }
  return [...tags].sort(([one], [other]) => one.localeCompare(other));
}

function render(api) {
  document.getElementById('about').textContent = `${api.info.version} · ${api.info.description ?? ''}`;
  const contents = document.getElementById('contents');
  const main = document.getElementById('document');
  main.replaceChildren();
  for (const [tag, operations] of operationsByTag(api)) {
    contents.append(element('h2', {}, tag));
    main.append(element('h2', {}, tag));
    for (const { path, method, operation } of operations) {
      const mark = element('span', { class: `method ${method}` }, method);
      const short = path.replace('/api/v1', '');
      contents.append(element('a', { href: `#${operation.operationId}`, title: path }, mark, ' ', short));
      main.append(operationArticle({ path, method, operation }));
    }
  }
  const schemas = Object.entries(api.components?.schemas ?? {});
  contents.append(element('h2', {}, 'schemas'));
  main.append(element('h2', {}, 'schemas'));
  for (const schema of schemas) {
    contents.append(element('a', { href: `#${schemaId(schema[0])}` }, schema[0]));
    main.append(schemaArticle(schema));
  }
}

/** Hides articles that do not contain the text. */
function filterArticles(text) {
  const wanted = text.trim().toLowerCase();
  for (const article of document.querySelectorAll('article')) {
    article.hidden = !article.textContent.toLowerCase().includes(wanted);
  }
  for (const link of document.querySelectorAll('nav a')) {
    const article = document.getElementById(link.hash.slice(1));
    link.hidden = article?.hidden ?? false;
  }
}

async function start() {
  const main = document.getElementById('document');
  try {
    const response = await fetch('/api/v1/openapi.json');
    if (!response.ok) throw new Error(`the server returned status ${response.status}`);
    render(await response.json());
  } catch (error) {
    main.replaceChildren(element('p', { role: 'alert' }, `The API description could not be loaded: ${error.message}.`));
    return;
  }
  const search = document.getElementById('search');
  search.addEventListener('input', () => filterArticles(search.value));
  // The target of the URL's fragment did not exist yet when the page was loaded.
  document.getElementById(location.hash.slice(1))?.scrollIntoView();
}

start();
