// What the browser runs first: it lets the page be seen before the console itself is loaded and run, which takes longer than drawing the
// page. The page names the scripts, so that they are loaded side by side. Fonts are asked for at the same time.
const begin = () => {
  document.documentElement.dataset['drawn'] = '';
  for (const { content } of document.querySelectorAll<HTMLMetaElement>('meta[name="script"]')) void import(content);
};

if (document.hidden) begin();
else requestAnimationFrame(() => setTimeout(begin));
