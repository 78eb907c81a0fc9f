#include "capture/collector/domains.h"

#include <cstring>
#include <new>

namespace lacuna::collector {
namespace {

// In memory that fork copies. Guarded by `inherited_lock`, which a child releases in announce_names():
// another thread of the parent may have held it.
Lock inherited_lock;
Arena arena;
Domain default_domain;  // id kDefaultDomain: it has categories as well
Domain* domains = nullptr;
std::uint32_t next_domain = wire::kFirstDomain;

const char* keep(const char* text, std::size_t length) {
  auto* copy = static_cast<char*>(arena.take(length + 1));
  if (copy == nullptr) return nullptr;
  std::memcpy(copy, text, length);
  copy[length] = '\0';
  return copy;
}

std::uint32_t intern_text(Process& process, const char* text, std::size_t length) {
  return length == 0 ? wire::kNoName : intern_locked(process, nullptr, nullptr, text, length, hash_name(text, length));
}

// The caller holds the lock of the process in the functions below.

void announce(Process& process, std::uint16_t domain, const char* text, std::size_t length) {
  wire::RecordHead record;
  record.type = wire::RecordType::kDomain;
  record.domain = domain;
  record.name = intern_text(process, text, length);
  record.time = now(process);
  put_control(process, record);
}

void announce(Process& process, const Domain& domain, const CategoryName& category) {
  wire::NumberRecord record;
  record.head.type = wire::RecordType::kCategory;
  record.head.domain = domain.id;
  record.head.name = intern_text(process, category.text, category.length);
  record.head.time = now(process);
  record.number = category.category;
  put_control(process, record);
}

void announce_categories(Process& process, const Domain& domain) {
  for (const CategoryName* c = domain.categories; c != nullptr; c = c->next) announce(process, domain, *c);
}

}  // namespace

std::uint32_t RegisteredName::intern_again(ThreadState& thread) {
  const std::uint32_t name = intern(*thread.process, nullptr, nullptr, text, length);
  if (name != wire::kLostName)
    generation_and_id.store(std::uint64_t{thread.generation} << 32 | name, std::memory_order_relaxed);
  return name;
}

Domain* make_domain(Process& process, const char* name) {
  if (name == nullptr) name = "";
  const std::size_t length = std::strlen(name);
  Domain* domain = nullptr;
  {
    const Locked locked(inherited_lock);
    for (Domain* d = domains; d != nullptr; d = d->next)
      if (d->length == length && std::memcmp(d->text, name, length) == 0) return d;
    void* memory = arena.take(sizeof(Domain));
    const char* text = keep(name, length);
    if (memory == nullptr || text == nullptr) return nullptr;
    domain = new (memory) Domain;
    domain->id = static_cast<std::uint16_t>(next_domain < wire::kLastDomain ? next_domain++ : wire::kLastDomain);
    domain->length = static_cast<std::uint32_t>(length);
    domain->text = text;
    domain->next = domains;
    domains = domain;
  }
  const Locked locked(process.lock);
  if (process.state == Process::kReady) announce(process, domain->id, domain->text, domain->length);
  return domain;
}

void name_category(Process& process, Domain* domain, std::uint32_t category, const char* name) {
  if (name == nullptr) return;
  if (domain == nullptr) domain = &default_domain;
  CategoryName* entry = nullptr;
  {
    const Locked locked(inherited_lock);
    void* memory = arena.take(sizeof(CategoryName));
    const std::size_t length = std::strlen(name);
    const char* text = keep(name, length);
    if (memory == nullptr || text == nullptr) return;
    entry = new (memory) CategoryName;
    entry->category = category;
    entry->length = static_cast<std::uint32_t>(length);
    entry->text = text;
    entry->next = domain->categories;
    domain->categories = entry;
  }
  const Locked locked(process.lock);
  if (process.state == Process::kReady) announce(process, *domain, *entry);
}

RegisteredName* register_name(Process& process, const char* text) {
  if (text == nullptr) text = "";
  const std::size_t length = std::strlen(text);
  RegisteredName* name = nullptr;
  {
    const Locked locked(inherited_lock);
    void* memory = arena.take(sizeof(RegisteredName));
    const char* copy = keep(text, length);
    if (memory == nullptr || copy == nullptr) return nullptr;
    name = new (memory) RegisteredName;
    name->text = copy;
    name->length = static_cast<std::uint32_t>(length);
  }
  if (process.state != Process::kReady) return name;  // asleep: it gets its id when it is used
  const std::uint32_t id = intern(process, nullptr, nullptr, name->text, name->length);
  if (id != wire::kLostName) name->generation_and_id.store(std::uint64_t{process.generation} << 32 | id);
  return name;
}

void release_inherited_lock() {
  inherited_lock.unlock();
}

void announce_names(Process& process) {
  if (!process.was_dormant) inherited_lock.unlock();  // else done when it went to sleep
  announce(process, wire::kTorchDomain, "PyTorch", 7);
  announce_categories(process, default_domain);
  for (const Domain* d = domains; d != nullptr; d = d->next) {
    announce(process, d->id, d->text, d->length);
    announce_categories(process, *d);
  }
}

}  // namespace lacuna::collector
