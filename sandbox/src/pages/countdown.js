// Counts down until a payment page expires. Without scripts the page shows the time left when it was loaded.
const clock = document.querySelector("[data-seconds-left]");
if (clock) {
  const startMs = performance.now();
  const total = Number(clock.dataset.secondsLeft);
  const show = () => {
    const left = Math.max(0, total - Math.floor((performance.now() - startMs) / 1000));
    clock.textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
    if (left > 0) return;
    clearInterval(timer);
    location.replace(location.pathname); // reload to show that the session has expired
  };
  const timer = setInterval(show, 1000);
}
