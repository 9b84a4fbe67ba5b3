# Four threads put results into a queue.
import queue
import threading

results = queue.Queue()
threads = [threading.Thread(target=lambda: results.put(sum(range(9999)))) for _ in range(4)]
for each in threads:
    each.start()
for each in threads:
    each.join()
print(results.qsize())
