// The visitor of our own pages. A shop with signed users opens a page with #user=<its token>; otherwise the browser generates a
// name.
const handed = /[#&]user=([^&]+)/.exec(location.hash)?.[1];
if (handed) {
  sessionStorage.setItem('maejin:user', decodeURIComponent(handed));
  history.replaceState(null, '', location.pathname + location.search);
}
export const userToken = sessionStorage.getItem('maejin:user');
