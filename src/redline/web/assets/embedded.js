// A change inside a client: messages to and from the client (MCP Apps 2026-01-26), nothing else.
'use strict';
(() => {
  const main = document.getElementById('main');
  const live = document.getElementById('live');
  const waiting = new Map();
  let count = 0, calls = null, host = {};

  const send = (message) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
  const notify = (method, params = {}) => send({ method, params });
  const ask = (method, params) => new Promise((resolve, reject) => {
    const id = ++count;
    waiting.set(id, { resolve, reject });
    send({ id, method, params });
  });
  const say = (text) => { live.textContent = text; live.classList.toggle('on', Boolean(text)); };
  const textOf = (result) => (result.content || [])
    .filter((block) => block.type === 'text').map((block) => block.text).join('\n');

  const setContext = (context = {}) => {
    if (context.theme) document.documentElement.dataset.theme = context.theme;
  };

  const show = (result) => {
    const view = (result._meta || {})['redline/view'];
    if (view) {
      main.innerHTML = view.html;
      calls = view.calls;
    } else {
      const text = document.createElement('pre');
      text.className = 'plain';
      text.textContent = textOf(result);
      main.replaceChildren(text);
    }
    if (!host.serverTools || !calls || !calls.undo) {
      for (const each of main.querySelectorAll('button, input')) each.remove();
    }
  };

  const call = async (wanted, more = {}) => {
    const params = { name: wanted.name, arguments: { ...wanted.arguments, ...more } };
    const result = await ask('tools/call', params);
    if (result.isError) throw new Error(textOf(result));
    return result;
  };

  const undo = async (hunks) => {
    for (const each of main.querySelectorAll('button')) each.disabled = true;
    const { undo: undoing, show: showing } = calls;
    try {
      const done = textOf(await call(undoing, hunks ? { hunks } : {}));
      say(done.split('\n')[0]);
      const text = `The person took this back in the review: ${done}`;
      ask('ui/update-model-context', { content: [{ type: 'text', text }] }).catch(() => {});
      show(await call(showing));
    } catch (failure) {
      say(failure.message || 'The client did not make the call.');
      for (const each of main.querySelectorAll('button')) each.disabled = false;
    }
  };

  document.addEventListener('click', (event) => {
    const button = event.target.closest('button');
    if (!button || !calls) return;
    event.preventDefault();
    if (button.name === 'only') undo([Number(button.value)]);
    if (button.name === 'all') undo(null);
    if (button.name === 'some') {
      const hunks = [...main.querySelectorAll('input[name=hunk]:checked')].map((box) => Number(box.value));
      if (hunks.length) undo(hunks); else say('No hunk is selected.');
    }
  });

  const told = {
    'ui/notifications/tool-result': show,
    'ui/notifications/tool-cancelled': () => say('The call was cancelled.'),
    'ui/notifications/host-context-changed': setContext,
  };
  window.addEventListener('message', (event) => {
    const message = event.data;
    if (event.source !== parent || !message || message.jsonrpc !== '2.0') return;
    if (message.method && message.id !== undefined) {
      const known = ['ping', 'ui/resource-teardown'].includes(message.method);
      const error = { code: -32601, message: `Method not found: ${message.method}` };
      send(known ? { id: message.id, result: {} } : { id: message.id, error });
    } else if (message.method) {
      (told[message.method] || (() => {}))(message.params || {});
    } else if (waiting.has(message.id)) {
      const { resolve, reject } = waiting.get(message.id);
      waiting.delete(message.id);
      if (message.error) reject(new Error(message.error.message)); else resolve(message.result || {});
    }
  });

  const measure = () => notify('ui/notifications/size-changed', {
    width: Math.ceil(document.documentElement.scrollWidth),
    height: Math.ceil(document.body.getBoundingClientRect().height),
  });
  ask('ui/initialize', {
    protocolVersion: '2026-01-26',
    appInfo: { name: 'redline', title: 'Redline', version: '1' },
    appCapabilities: { availableDisplayModes: ['inline', 'fullscreen'] },
  }).then((found) => {
    host = found.hostCapabilities || {};
    setContext(found.hostContext);
    notify('ui/notifications/initialized');
    new ResizeObserver(measure).observe(document.body);
  }).catch((failure) => say(failure.message));
})();
