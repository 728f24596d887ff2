#include "relocate.h"

#include "encoding.h"
#include "refusal.h"
#include "symbols.h"

static cyxla_status resolve(const cyxla_elf *elf, const cyxla_elf_section *relocations,
                            uint32_t index, uint64_t *value, cyxla_error *error) {
  cyxla_elf_symbol symbol;

  if (relocations->link >= elf->num_sections ||
      !cyxla_elf_symbol_read(elf, &elf->sections[relocations->link], index, &symbol)) {
    return cyxla_code_refuse("refers to a symbol that is not there", "", error);
  }
  if (symbol.section == 0) {
    *value = (uint64_t)(uintptr_t)cyxla_direct_symbol(symbol.name);
    if (*value == 0)
      return cyxla_code_refuse("calls a function that is not known: ", symbol.name,
                               error);
    return CYXLA_OK;
  }
  if (symbol.section >= elf->num_sections ||
      elf->sections[symbol.section].address == NULL) {
    return cyxla_code_refuse("refers to what is not loaded: ", symbol.name, error);
  }
  *value = (uint64_t)(uintptr_t)elf->sections[symbol.section].address + symbol.value;
  return CYXLA_OK;
}

static cyxla_status relocate_one(const cyxla_elf *elf, const cyxla_elf_section *table,
                                 size_t index, cyxla_error *error) {
  const cyxla_elf_section *section = &elf->sections[table->info];
  cyxla_elf_relocation relocation;
  unsigned char *place;
  uint64_t value, distance;
  cyxla_status status;
  size_t width;

  cyxla_elf_relocation_read(table, index, &relocation);
  width = relocation.type == CYXLA_ELF_RELOCATION_64 ||
                  relocation.type == CYXLA_ELF_RELOCATION_PC64
              ? 8
              : 4;
  if (relocation.offset > section->bytes ||
      width > section->bytes - relocation.offset) {
    return cyxla_code_refuse("has a relocation that lies outside of ", section->name,
                             error);
  }
  status = resolve(elf, table, relocation.symbol, &value, error);
  if (status != CYXLA_OK) return status;
  place = section->address + relocation.offset;
  value += (uint64_t)relocation.addend;
  distance = value - (uint64_t)(uintptr_t)place;
  switch (relocation.type) {
    case CYXLA_ELF_RELOCATION_64: cyxla_store_u64(place, value); return CYXLA_OK;
    case CYXLA_ELF_RELOCATION_PC64: cyxla_store_u64(place, distance); return CYXLA_OK;
    case CYXLA_ELF_RELOCATION_PC32:
    case CYXLA_ELF_RELOCATION_PLT32:
      if (distance + 0x80000000u > 0xffffffffu) {
        return cyxla_code_refuse("calls what is too far away", "", error);
      }
      cyxla_store_u32(place, (uint32_t)distance);
      return CYXLA_OK;
    default:
      return cyxla_code_refuse("has a relocation of a kind that is not known", "",
                               error);
  }
}

cyxla_status cyxla_relocate(const cyxla_elf *elf, const cyxla_elf_section *table,
                            cyxla_error *error) {
  for (size_t i = 0; i < cyxla_elf_num_relocations(table); i++) {
    cyxla_status status = relocate_one(elf, table, i, error);
    if (status != CYXLA_OK) return status;
  }
  return CYXLA_OK;
}
