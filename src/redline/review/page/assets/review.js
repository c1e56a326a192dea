// Makes the page live and quick, once `visit.js` has signed the person in. No dependencies.
'use strict';
(() => {
  const $ = (selector, within = document) => within.querySelector(selector);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const body = document.body;
  const { redline } = window;
  if (redline.isStopped) return;
  const { base } = redline;
  let view = body.dataset.view;
  const who = body.dataset.visit || '';
  const canAct = body.classList.contains('act');
  // A server that is gone for a moment is an answer that is not ok.
  const part = (url) => redline.send(url, { headers: { 'X-Redline': 'part' } })
    .catch(() => Response.error());
  const parse = (html, tag = 'template') => {
    const holder = document.createElement(tag);
    holder.innerHTML = html;
    return holder.content || holder;
  };
  const cookie = (name, value) => {
    document.cookie = `${name}=${value}; Path=/; SameSite=Strict; Max-Age=31536000`;
  };
  const say = (text, seconds = 4) => {
    const live = $('#live');
    live.textContent = text;
    clearTimeout(say.timer);
    say.timer = setTimeout(() => { live.textContent = ''; }, seconds * 1000);
  };
  redline.say = say;

  // --- theme and help -----------------------------------------------------------------------
  const theme = $('#theme');
  theme.hidden = false;
  theme.addEventListener('click', () => {
    const dark = getComputedStyle(document.documentElement).colorScheme === 'dark';
    document.documentElement.dataset.theme = dark ? 'light' : 'dark';
    cookie('redline_theme', dark ? 'light' : 'dark');
  });
  const help = $('#help');
  $('#help-open').hidden = false;
  $('#help-open').addEventListener('click', () => help.showModal());
  const boxes = () => all('input[name=hunk]:checked').length;
  const count = () => {
    const some = $('#undo-some');
    if (!some) return;
    const chosen = boxes();
    some.disabled = !chosen;
    some.textContent = chosen ? `Undo ${chosen} selected hunk${chosen > 1 ? 's' : ''}` : 'Undo selected hunks';
  };
  addEventListener('change', count);

  // --- the timeline: only what is near the screen is in the page -----------------------------
  // The one that is shown: its rows in chunks, where older ones begin, its newest row.
  let timeline = null;
  const openTimeline = () => {
    const list = $('#timeline');
    if (view !== 'activity' || !list) return null;
    const filters = new URLSearchParams(location.search);
    filters.delete('before'); filters.delete('done');
    const older = $('#older');
    const opened = {
      list, filters, chunks: [], isLoading: false,
      next: older ? new URL(older.href).searchParams.get('before') : '',
      newest: $('.op', list) ? $('.op', list).dataset.id : '',
    };
    if (list.children.length) {
      const first = makeChunk([...list.children]);
      first.group = groupOf(first.nodes);
      opened.chunks.push(first);
    }
    if (older) older.addEventListener('click', (event) => { event.preventDefault(); loadOlder(); });
    return opened;
  };
  const groupOf = (nodes) => {
    const rows = nodes.filter((node) => node.dataset && node.dataset.group);
    return rows.length ? rows[rows.length - 1].dataset.group : '';
  };
  const makeChunk = (nodes) => ({ nodes, html: '', height: 0, isOpen: true });
  const close = (chunk) => {
    const first = chunk.nodes[0];
    const last = chunk.nodes[chunk.nodes.length - 1];
    chunk.height = last.getBoundingClientRect().bottom - first.getBoundingClientRect().top;
    chunk.html = chunk.nodes.map((node) => node.outerHTML).join('');
    const spacer = document.createElement('li');
    spacer.className = 'spacer';
    spacer.setAttribute('aria-hidden', 'true');
    spacer.style.height = `${chunk.height}px`;
    first.before(spacer);
    chunk.nodes.forEach((node) => node.remove());
    chunk.nodes = [spacer];
    chunk.isOpen = false;
  };
  const open = (chunk) => {
    const spacer = chunk.nodes[0];
    const content = parse(chunk.html);
    chunk.nodes = [...content.children];
    spacer.replaceWith(content);
    chunk.isOpen = true;
    chunk.html = '';
  };
  let planned = false;
  const arrange = () => {
    planned = false;
    if (!timeline) return;
    const reach = innerHeight * 1.5;
    const todo = [];
    for (const chunk of timeline.chunks) {
      const top = chunk.nodes[0].getBoundingClientRect().top;
      const bottom = chunk.isOpen
        ? chunk.nodes[chunk.nodes.length - 1].getBoundingClientRect().bottom : top + chunk.height;
      const near = bottom > -reach && top < innerHeight + reach;
      if (near !== chunk.isOpen && !(chunk.isOpen && chunk.nodes.some((node) => node.contains(document.activeElement)))) todo.push(chunk);
    }
    for (const chunk of todo) (chunk.isOpen ? close : open)(chunk);
    if (timeline.next && $('#older').getBoundingClientRect().top < innerHeight + 2000) loadOlder();
  };
  const plan = () => {
    if (timeline && !planned) { planned = true; requestAnimationFrame(arrange); }
  };
  const loadOlder = async () => {
    const shown = timeline;
    if (!shown || !shown.next || shown.isLoading) return;
    shown.isLoading = true;
    const last = shown.chunks[shown.chunks.length - 1];
    const after = last.isOpen ? groupOf(last.nodes) : last.group;
    const query = new URLSearchParams(shown.filters);
    query.set('before', shown.next); query.set('after', after || '');
    try {
      const answer = await part(`${base}/rows?${query}`);
      if (!answer.ok) return;
      const next = answer.headers.get('X-Next') || '';
      const content = parse(await answer.text());
      if (shown !== timeline) return;
      shown.next = next;
      const chunk = makeChunk([...content.children]);
      chunk.group = groupOf(chunk.nodes);
      if (chunk.nodes.length) { shown.list.append(content); shown.chunks.push(chunk); }
      if (!next) $('#older').closest('p').hidden = true;
    } finally { shown.isLoading = false; }
    plan();
  };
  addEventListener('scroll', plan, { passive: true });
  addEventListener('resize', plan);
  const refreshRow = async (id) => {
    const row = document.getElementById(`op-${id}`);
    if (!row) return;
    const answer = await part(`${base}/${id.startsWith('run-') ? `run/${id.slice(4)}` : `change/${id}`}/row`);
    if (!answer.ok) return;
    const fresh = parse(await answer.text()).firstElementChild;
    if (!row.isConnected || !timeline) return;
    const { chunks } = timeline;
    const chunk = chunks.find((each) => each.nodes.includes(row));
    const at = chunk ? chunk.nodes.indexOf(row) : -1;
    if (fresh) {
      if (chunk) chunk.nodes[at] = fresh;
      row.replaceWith(fresh);
      return;
    }
    // A command that changed something: the change is shown instead, with how the command ended.
    if (chunk && chunk.nodes.length > 1) chunk.nodes.splice(at, 1);
    else if (chunk) chunks.splice(chunks.indexOf(chunk), 1);
    row.remove();
    refreshRow(answer.headers.get('X-Change') || '');
  };
  const refreshRuns = () => all('.op.running').forEach((row) => refreshRow(row.dataset.id));
  let adding = Promise.resolve();
  const addNewer = () => { adding = adding.then(loadNewer, loadNewer); };
  const loadNewer = async () => {
    const shown = timeline;
    if (!shown) return;
    const query = new URLSearchParams(shown.filters);
    query.set('newer', shown.newest);
    const answer = await part(`${base}/rows?${query}`);
    if (answer.status === 205 || answer.status === 401) { location.reload(); return; }
    if (!answer.ok) return;
    const content = parse(await answer.text());
    const nodes = [...content.children];
    const rows = nodes.filter((node) => node.dataset.id);
    if (!rows.length || shown !== timeline) return;
    shown.newest = rows[0].dataset.id;
    all('.empty').forEach((node) => node.remove());
    const top = shown.chunks[0];
    if (top && top.isOpen) {
      const firstRow = top.nodes.find((node) => node.dataset.group);
      const day = (group) => group.split('/')[0];
      const joins = groupOf(nodes);
      while (firstRow && top.nodes[0] !== firstRow) {
        const head = top.nodes[0];
        const repeats = head.className === 'day' ? day(joins) === day(firstRow.dataset.group) : joins === firstRow.dataset.group;
        if (!repeats) break;
        head.remove(); top.nodes.shift();
      }
    }
    rows.forEach((row) => row.classList.add('new'));
    shown.list.prepend(content);
    const chunk = makeChunk(nodes);
    chunk.group = groupOf(nodes);
    shown.chunks.unshift(chunk);
    for (const row of rows) {
      for (const id of (row.dataset.reverts || '').split(',')) if (id) refreshRow(id.replace(/[+~]/g, ''));
    }
    if (scrollY > 200) say(`${rows.length} new change${rows.length > 1 ? 's' : ''}`);
    performance.mark('redline-shown', { detail: rows[0].dataset.id });
    plan();
  };

  // --- one change: more rows and unchanged lines ------------------------------------------------
  const rowsFrom = (html) => parse(`<table><tbody>${html}</tbody></table>`).querySelector('tbody');
  const loadRows = async (link) => {
    if (link.dataset.busy) return;
    link.dataset.busy = '1';
    const answer = await part(link.href);
    if (!answer.ok) { location.href = link.href; return; }
    const place = link.closest('tr');
    const rows = rowsFrom(await answer.text());
    if (link.className === 'fold') {
      place.before(...rows.children);
      link.remove();
    } else {
      place.replaceWith(...rows.children);
      watchRows();
      enableApproval();
    }
  };
  // What was not shown is not approved: the server asks for the marks of the last rows too.
  const enableApproval = () => {
    if (!$('#unshown') || $('main a.load')) return;
    $('#unshown').remove();
    all('#approve-form button').forEach((button) => { button.disabled = false; });
  };
  const watcher = new IntersectionObserver((seen) => {
    for (const each of seen) if (each.isIntersecting) { watcher.unobserve(each.target); loadRows(each.target); }
  }, { rootMargin: '0px 0px 1500px' });
  // A picture is fetched as everything is: an element of its own could not send the token.
  const pictures = new IntersectionObserver((seen) => {
    for (const each of seen) if (each.isIntersecting) { pictures.unobserve(each.target); loadPicture(each.target); }
  }, { rootMargin: '0px 0px 1500px' });
  const loadPicture = async (picture) => {
    const answer = await part(picture.dataset.src);
    if (answer.ok) picture.src = URL.createObjectURL(await answer.blob());
  };
  // A file that is closed waits for a click.
  const watchRows = () => {
    all('a.load:not(.closed)').forEach((link) => watcher.observe(link));
    all('img[data-src]:not([src])').forEach((picture) => pictures.observe(picture));
  };
  addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    const link = event.target.closest('a[href]');
    if (link && link.matches('.load, .fold')) { event.preventDefault(); loadRows(link); return; }
    if (link && isView(link)) { event.preventDefault(); visit(link.href); return; }
    const cell = event.target.closest('.act .diff:not(.blame) td[data-n]');
    if (cell) comment(cell);
  });
  const comment = (cell) => {
    const begun = $('#c-new textarea');
    if (begun && begun.value) { begun.focus(); return; }
    const table = cell.closest('table');
    const row = cell.parentElement;
    const isOld = row.className === 'd' || (table.classList.contains('split') && cell.cellIndex === 0 && cell.classList.contains('d'));
    let number = cell.dataset.n;
    if (!isOld) number = row.cells[table.classList.contains('split') ? 2 : 1].dataset.n || number;
    const where = `${table.dataset.step}:${isOld ? 'old' : 'new'}:${number}`;
    visit(`${location.pathname}?comment=${where}`);
  };

  // --- turns of a long session: fetched when they are opened ----------------------------------------
  addEventListener('toggle', async ({ target }) => {
    const { src } = target.dataset;
    if (!target.open || !src) return;
    const answer = await part(src);
    if (answer.ok && target.dataset.src) { delete target.dataset.src; target.append(parse(await answer.text())); }
  }, true);

  // --- seen files: kept in this browser, for the state of the file that was seen --------------------
  // How many changes each file had when this person was here last, for as long as this page is open.
  const lastVisit = new Map();
  const showUnread = (files) => {
    const name = `redline-visit ${location.pathname}`;
    if (!lastVisit.has(name)) lastVisit.set(name, JSON.parse(localStorage.getItem(name) || 'null'));
    localStorage.setItem(name, JSON.stringify(Object.fromEntries(files.map((file) => [file.ariaLabel, +file.dataset.changes]))));
    const last = lastVisit.get(name);
    for (const file of last ? files : []) {
      const unread = file.dataset.changes - (last[file.ariaLabel] || 0);
      for (const place of unread > 0 ? [$('.name', file), $(`.contents a[href="#${file.id}"]`)] : []) {
        if (!place || $('.unread', place)) continue;
        const mark = document.createElement('em');
        mark.className = 'unread';
        mark.textContent = ` ${unread} new`;
        mark.title = 'changes since your last visit';
        place.append(mark);
      }
    }
  };
  const showSeen = () => {
    const files = all('section.file[data-state]');
    if (files.length) showUnread(files);
    if (!files.length || !$('#unseen')) return;
    const name = `redline-seen ${location.pathname}`;
    const read = () => JSON.parse(localStorage.getItem(name) || '{}');
    const tell = () => {
      const open = files.filter((file) => !file.classList.contains('is-seen')).length;
      $('#unseen').textContent = `${open} of ${files.length} files not seen`;
    };
    for (const file of files) {
      if ($('.seen', file)) continue;
      const label = document.createElement('label');
      label.className = 'seen';
      label.innerHTML = '<input type="checkbox"> Seen';
      const box = $('input', label);
      box.checked = read()[file.ariaLabel] === file.dataset.state;
      file.classList.toggle('is-seen', box.checked);
      box.addEventListener('change', () => {
        localStorage.setItem(name, JSON.stringify({ ...read(), [file.ariaLabel]: box.checked ? file.dataset.state : '' }));
        file.classList.toggle('is-seen', box.checked);
        tell();
      });
      $('.file-head', file).append(label);
    }
    tell();
  };

  // --- from view to view without loading the page again ---------------------------------------------
  const VIEWS = /^\/(change\/\w+|session\/[^/]+|held(\/\w+)?|question\/\w+|run\/\d+|file|blame|comments|checkpoints)?$/;
  const isView = (link) => link.origin === location.origin && !link.hasAttribute('download') && !link.target
    && link.pathname.startsWith(`${base}/`) && VIEWS.test(link.pathname.slice(base.length))
    && !(link.hash && link.pathname + link.search === location.pathname + location.search);
  // Views that were left stay as they are for the way back; the oldest are dropped.
  const left = new Map();
  const MAX_LEFT = 8;
  let place = (history.state && history.state.place) || 0;
  let places = place;
  let address = '';
  const enter = () => {
    view = body.dataset.view;
    address = location.pathname + location.search;
    timeline = openTimeline();
    count();
    showSeen();
    const written = $('#c-new textarea');
    if (written) { $('#c-new').scrollIntoView({ block: 'center' }); written.focus(); }
    // What is there is shown first.
    requestAnimationFrame(() => setTimeout(watchRows));
    plan();
  };
  const leave = () => {
    left.delete(place);
    left.set(place, { main: $('main'), nav: $('nav'), title: document.title, view, timeline, top: scrollY });
    if (left.size > MAX_LEFT) left.delete(left.keys().next().value);
  };
  const replace = (main, nav, title, name) => {
    $('main').replaceWith(main);
    $('nav').replaceWith(nav);
    document.title = title;
    body.dataset.view = name;
  };
  redline.go = (url) => {
    const where = new URL(url, location.href);
    if (VIEWS.test(where.pathname.slice(base.length))) visit(where.href); else location.assign(where);
  };
  // What is the same in the answer to an action keeps its rows, and the page stays where it was.
  const fill = async (file, count) => {
    for (let link = $('a.load', file); link && all('tr', file).length < count; link = $('a.load', file)) {
      await loadRows(link);
      if (link.closest('section')) return;
    }
  };
  const keepPlace = async (fresh) => {
    const pairs = all('section.file[data-mark]', fresh).map((file) => [file, document.getElementById(file.id)]).filter(([, old]) => old);
    await Promise.all(pairs.map(([file, old]) => (old.dataset.mark === file.dataset.mark ? null : fill(file, all('tr', old).length))));
    const seen = all('.h[id]').find((row) => row.getBoundingClientRect().bottom > 120);
    const top = seen && seen.getBoundingClientRect().top;
    const at = $('.here') && $('.here').id;
    return () => {
      for (const [file, old] of pairs) if (old.dataset.mark === file.dataset.mark) file.replaceWith(old);
      return () => {
        const again = seen && document.getElementById(seen.id);
        if (again) scrollBy(0, again.getBoundingClientRect().top - top);
        if (at && document.getElementById(at)) document.getElementById(at).classList.add('here');
      };
    };
  };
  let wanted = 0;
  const visit = async (url, isBack = false) => {
    wanted += 1;
    const mine = wanted;
    const path = location.pathname;
    const answer = await part(url);
    const isPage = answer.ok && (answer.headers.get('Content-Type') || '').startsWith('text/html');
    const fresh = isPage ? new DOMParser().parseFromString(await answer.text(), 'text/html') : null;
    if (mine !== wanted) return;
    // Another person, or nobody, is signed in by now; or the answer is no view.
    if (!fresh || !$('main', fresh) || (fresh.body.dataset.visit || '') !== who) { location.assign(url); return; }
    const where = new URL(url, location.href);
    const stays = !isBack && path === where.pathname && $('section.file[data-mark]') && !where.searchParams.has('view');
    const keep = stays ? await keepPlace(fresh) : null;
    if (mine !== wanted) return;
    if (stays) history.replaceState({ place }, '', answer.redirected ? answer.url : url);
    else if (!isBack) {
      leave();
      places += 1; place = places;
      history.pushState({ place }, '', answer.redirected ? answer.url : url);
    }
    const back = keep && keep();
    replace($('main', fresh), $('nav', fresh), fresh.title, fresh.body.dataset.view);
    if (back) back(); else if (!isBack) scrollTo(0, 0);
    $('main').focus({ preventScroll: true });
    enter();
    const target = location.hash && document.getElementById(location.hash.slice(1));
    if (target && !stays) target.scrollIntoView();
  };
  addEventListener('popstate', (event) => {
    // A link within the view.
    if (location.pathname + location.search === address) { history.replaceState({ place }, ''); return; }
    wanted += 1;
    leave();
    place = (event.state && event.state.place) || 0;
    const known = left.get(place);
    if (!known) { visit(location.href, true); return; }
    replace(known.main, known.nav, known.title, known.view);
    ({ view, timeline } = known);
    address = location.pathname + location.search;
    scrollTo(0, known.top);
    plan();
    if (timeline) { addNewer(); adding = adding.then(refreshRuns, refreshRuns); } else refresh();
  });

  // --- live: one tab listens for all tabs of this browser ----------------------------------------
  const state = $('#state');
  const mark = (how, text) => { if (state && state.id === 'state') { state.dataset.state = how; state.textContent = text; state.hidden = false; } };
  const known = {};
  const receive = (news) => {
    if (news.lost) { mark('lost', 'reconnecting'); return; }
    mark('on', 'live');
    const before = { ...known };
    Object.assign(known, news);
    if (view === 'activity' && !new URLSearchParams(location.search).has('before')) {
      if (news.runs !== before.runs) { addNewer(); adding = adding.then(refreshRuns, refreshRuns); }
      else if (news.latest && timeline && news.latest !== timeline.newest) addNewer();
      return;
    }
    const isNew = Object.keys(news).some((name) => before[name] !== undefined && before[name] !== news[name]);
    if (isNew && ['change', 'session', 'comments', 'checkpoints', 'held', 'file'].includes(view)) refresh();
  };
  const refresh = async () => {
    // What a person is writing stays.
    if (all('main textarea, main input:not([type=checkbox])').some((field) => field.value !== field.defaultValue) || boxes()) return;
    const mine = wanted, here = location.href;
    const answer = await part(here);
    if (!answer.ok) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html');
    if (mine !== wanted || here !== location.href) return;  // another view is here by now
    const facts = (page) => all('.facts, .comment, .op, .bar-actions, .question, .message', page).map((node) => node.textContent).join('\n');
    if (facts(fresh) === facts(document)) return;
    const keep = await keepPlace(fresh);
    if (mine !== wanted || here !== location.href) return;
    const back = keep();
    $('main').replaceWith($('main', fresh));
    $('nav').replaceWith($('nav', fresh));
    back();
    watchRows(); count(); showSeen();
    say('Updated');
  };
  // An EventSource could not send the token.
  const listen = async (pass) => {
    try {
      const answer = await redline.send(`${base}/events`);
      if (answer.status === 401) { location.reload(); return; }
      if (!answer.ok) throw new Error(answer.status);
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      let text = '';
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        const events = (text + value).split('\n\n');
        text = events.pop();
        for (const event of events) {
          const data = /^event: state\ndata: (.*)$/.exec(event);
          if (data) pass(JSON.parse(data[1]));
        }
      }
    } catch { /* it is asked again below */ }
    pass({ lost: true });
    setTimeout(() => listen(pass), 1000);
  };
  if (view !== 'sign-in') {
    if (navigator.locks && 'BroadcastChannel' in window) {
      const channel = new BroadcastChannel(`redline${base}`);
      let latest = null;
      let leads = false;
      channel.onmessage = (event) => {
        if (event.data === 'hello') { if (leads && latest) channel.postMessage(latest); } else receive(event.data);
      };
      channel.postMessage('hello');
      navigator.locks.request(`redline${base}`, () => {
        leads = true;
        listen((news) => { latest = news; channel.postMessage(news); receive(news); });
        return new Promise(() => {});
      });
    } else listen(receive);
  }

  enter();

  // --- times: as the server says them, kept true -------------------------------------------------
  setInterval(() => all('.op time, .at-work time').forEach((time) => {
    const minutes = Math.floor((Date.now() - Date.parse(time.dateTime)) / 60000);
    if (minutes < 1440) time.textContent = minutes < 1 ? 'just now' : minutes < 60 ? `${minutes} min ago` : `${Math.floor(minutes / 60)} h ago`;
  }), 30000);

  // --- keyboard -----------------------------------------------------------------------------------
  const post = (action, fields) => redline.post(base + action, fields);
  const here = () => $('.here');
  const step = (by) => {
    const items = all(['change', 'session'].includes(view) ? '.h[id]' : '.op').filter((item) => item.checkVisibility());
    if (!items.length) return;
    const at = items.indexOf(here());
    const target = items[Math.max(0, Math.min(items.length - 1, at < 0 ? 0 : at + by))];
    if (here()) here().classList.remove('here');
    target.classList.add('here');
    const inner = $('a.files, input, button', target);
    if (inner) inner.focus({ preventScroll: true });
    target.scrollIntoView({ block: ['change', 'session'].includes(view) ? 'center' : 'nearest' });
  };
  const press = (selector) => { const found = $(selector); if (found) found.click(); return Boolean(found); };
  const undo = () => {
    const at = here();
    if (boxes() && press('#undo-some')) return;
    if (at && at.dataset.id && canAct) post('/undo', { id: at.dataset.id, all: '1' });
    else if (at && $('button', at)) $('button', at).click();
    else press('#undo-all');
  };
  const keys = {
    j: () => step(1), k: () => step(-1), u: undo, r: () => press('#redo'),
    o: () => { const link = here() && $('a.files', here()); if (link) link.click(); },
    x: () => { const box = here() && $('input[name=hunk]', here()); if (box) box.click(); },
    c: () => {
      let row = here() && here().nextElementSibling;
      while (row && !row.matches('.a, .d') && row.nextElementSibling && !row.matches('.h')) row = row.nextElementSibling;
      const cell = row && $('td[data-n]', row);
      if (cell && canAct) comment(cell);
    },
    s: () => press('#view-switch'), a: () => press('#approve'), b: () => visit(`${base}/`),
    '/': () => { const box = $('#search'); if (box) box.focus(); else visit(`${base}/`); },
    '?': () => help.showModal(),
  };
  // The panel of filters closes as a menu does; what was typed in it stays.
  const closeFilters = (target) => {
    const open = $('.filters[open]');
    if (!open || open.contains(target)) return false;
    open.open = false;
    if (target === document) $('summary', open).focus();
    return true;
  };
  addEventListener('click', (event) => closeFilters(event.target));
  addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && event.target.matches('textarea')) {
      event.target.form.requestSubmit();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.key === 'Escape' && event.target.matches('#c-new textarea') && !event.target.value) {
      visit(location.pathname);
      return;
    }
    const typing = event.target.matches('textarea, select, input:not([type=checkbox])');
    if (event.key === 'Escape' && closeFilters(document)) return;
    if (event.key === 'Escape' && typing) { event.target.blur(); return; }
    if (typing || help.open || !Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    keys[event.key]();
  });
})();
